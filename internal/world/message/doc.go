// Package message carries messages, requests with their responses, and replicated resources.
//
//   - [Post] queues what the game sends and hands it to the connections; an [Inbox] reads the
//     messages of one peer. Those that refer to entities which have not arrived wait for them, and
//     those registered with WhenShown until their tick is shown, both for a bounded time (held.go).
//   - [Resources] sends the resources of a server's world, [ResourceCopy] applies them on a
//     client.
//
// Both the traffic that one client may send, and the traffic that it may cause the server to relay
// to other clients, are bounded per frame.
package message
