// Package message carries messages, requests with their responses, and replicated resources.
//
//   - [Post] queues what the game sends and hands it to the connections; a [Mailbox] reads what
//     one peer sends. Messages that refer to entities which have not arrived wait for them, for
//     a bounded time.
//   - [Resources] sends the resources of a server's world, [ResourceCopy] applies them on a
//     client.
//
// What one client may send is bounded per frame, and what it may make the server relay to
// other clients too.
package message
