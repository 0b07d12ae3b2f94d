// Package connection defines the interface between Entangle and the layers that make
// connections: they decide which clients are accepted, under which id, and which bytes come
// from which client.
//
// There are three kinds of layers:
//
//   - package netcode: connect tokens and encryption over any transport. Server.Start and
//     Client.Connect use it.
//   - package trusted: no tokens and no encryption, for trusted networks.
//   - a custom one, such as the sockets of a platform that authenticates players.
//
// A server may use several at once; all of its clients play together.
//
// # What a layer does
//
// It accepts clients, gives each a slot, and carries payloads of 1 to entangle.MaxPayload
// (1125) bytes between the server and each of them, whole or not at all. It may lose and
// reorder them, but delivers none twice: if the transport below repeats datagrams, the layer
// drops the repeats. It guarantees the ids of its clients: the layers above do not check
// them again.
//
// It notices when a peer has gone, for whatever reason: no layer above does. It need not
// provide reliability, large messages, or the reason of a kick.
//
// # How a server's layer is driven
//
// One goroutine, the game's loop, calls in every frame
//
//   - Receive until it returns ErrEmpty. The layer returns no more events than fit into a
//     frame; the others wait;
//   - Send for each payload, in the same frame before Flush;
//   - Flush once, which hands all of it to the network, best in one batch.
//
// Disconnect may be called between any of them. No call blocks: they run on the game's
// time. A layer that has to wait does so in a goroutine of its own, which Close ends.
//
// Send touches one slot. While no other method of the layer runs, several goroutines may
// send to different slots at once.
//
// Time is passed as now, which never decreases: a layer reads no clock of its own for
// timeouts, so that a test can simulate hours in a moment.
//
// # Slots
//
// A slot is a number from 0 to ServerConfig.MaxClients-1. It belongs to one client from its
// Connected event until its Disconnected event or Disconnect, and can then be given to
// another one. The server counts its clients over all layers. It disconnects a client, with
// a reason, if all slots are taken or if its id is connected already through another layer.
//
// # Errors
//
// Receive distinguishes three cases. With a nil error it has returned an event. ErrEmpty means that
// no event waits: the loop ends until the next frame. Any other error is final, as is any error of
// Flush: the layer does not recover, and its owner closes it. Nothing that a peer does is an error:
// its bytes are dropped and counted, or end its connection.
//
// # Implementing a layer
//
// Implement Server with a Listener, and Client with a Dialer; pass these to
// Server.StartWith and Client.ConnectWith. Package connectiontest checks the rules above: a
// new layer runs that test suite against itself. The example of this package is a complete
// layer that passes it.
package connection
