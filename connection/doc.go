// Package connection is the seam between Entangle and whatever makes connections: who
// is let in, by which id, and which bytes come from whom.
//
// Three kinds of layers fit in:
//
//   - package netcode: connect tokens and encryption over any transport. It is what
//     Server.Start and Client.Connect use.
//   - package trusted: no tokens and no encryption, for networks where nobody needs
//     either.
//   - a game's own, such as the sockets of a platform that knows its players already.
//
// A server may have several at once; its clients play together.
//
// # What a layer does
//
// It lets clients in, gives each a slot, and carries payloads of 1 to
// entangle.MaxPayload (1125) bytes between the server and each of them, whole or not at
// all. It may lose and reorder them. It hands out none twice: where what is below
// repeats, the layer sorts it out. It knows its clients' ids and stands for them: the
// layers above ask nobody else.
//
// It notices when a peer is gone, however that came: there is nothing above that does.
// Reliability, the size of messages and the reason of a kick are not its business.
//
// # How a server's layer is driven
//
// One goroutine, the game's loop, calls in every frame
//
//   - Receive until it returns ErrEmpty. The layer hands out no more than fits into a
//     frame; what else has arrived waits;
//   - Send for each payload, in the same frame before Flush;
//   - Flush once, which hands everything to the network, best in one batch.
//
// Disconnect may be called between any of them. No call waits: they run on the game's
// time. A layer that has to wait does so in a goroutine of its own, which Close ends.
//
// Send touches one slot. While nothing else of the layer runs, different slots are sent
// to by different goroutines at once.
//
// Time is handed in as now, which never goes back: a layer reads no clock of its own
// for timeouts, so that a test can let hours pass in a moment.
//
// # Slots
//
// A slot is a number from 0 to ServerConfig.MaxClients-1. It belongs to one client from
// its Connected event on until its Disconnected event or Disconnect, and can then be
// given to another one. The server counts its clients over all layers, and sends away,
// with a reason, who finds it full or whose id plays already through another layer.
//
// # Errors
//
// Receive tells three cases apart. A nil error is an event. ErrEmpty is the normal end of
// a loop. Anything else is final, as is any error of Flush: the layer does not recover,
// and its owner closes it. A peer's doing is never an error: what it sends is dropped and
// counted, or ends its connection.
//
// # Bringing a layer along
//
// Implement Server with a Listener, and Client with a Dialer; pass these to
// Server.StartWith and Client.ConnectWith. Package connectiontest holds the rules above
// as a test suite that a new layer runs against itself; the example of this package is a
// complete layer that passes it.
package connection
