// Package transport is the seam between Entangle and whatever carries its
// datagrams: UDP sockets, a network inside one process, a WebSocket, or a
// transport that a game brings along.
//
// # What a transport does
//
// It carries packets of at most entangle.MaxDatagram (1150) bytes between ends
// that have addresses. It may lose, repeat and reorder them; the layers above
// expect all three. It need not authenticate or encrypt either: every datagram
// is sealed, and what was not sealed by the peer is dropped above.
//
// What it must keep is that datagrams have edges: one Send of n bytes arrives
// as one Receive of the same n bytes, or not at all. A stream is not a
// transport until something on top of it writes lengths.
//
// # How it is driven
//
// A server or client opens one Conn per transport when it starts and closes it
// when it stops. In between one goroutine, the game's loop, calls
//
//   - Receive until it returns ErrEmpty, once or more in every frame;
//   - Send with the frame's datagrams, at most a few times in every frame.
//
// Neither may wait: they run on the game's time. A transport that has to wait
// for its data (as sockets do) waits in a goroutine of its own, hands what it
// read to Receive through a bounded queue, and ends that goroutine in Close.
//
// # Errors
//
// Receive tells three cases apart. A nil error is a datagram. ErrEmpty is the
// normal end of a loop. Anything else is final: the Conn will not recover, and
// its owner closes it.
//
// Send reports how many datagrams the network took. Datagrams that it did not
// take are lost and not tried again, which is no error: a full buffer, an
// address without a route and a peer that is gone all look like loss on the way.
// An error from Send is final, as one from Receive is. Where each client has a connection
// of its own, as a WebSocket is, a client's Conn breaks when that ends; a server's never
// breaks for one client.
//
// Once Close has returned, Receive and Send return ErrClosed (test with
// errors.Is), also for datagrams that had arrived before, and Close itself
// returns nil however often it is called. LocalAddr keeps its answer. Close may
// come from any goroutine while Receive or Send runs; that call then finishes
// or returns ErrClosed.
//
// # Addresses
//
// Every peer is a netip.AddrPort, because the connect token lists server
// addresses and because it is a comparable key without allocation. An IPv4
// address is given in its 4-byte form, never mapped into IPv6, so that equal
// peers compare equal. A transport without IP addresses makes up one per peer
// from the unique local range fd00::/8, and never hands the address of a peer
// that may still be heard to another one.
//
// # Clients
//
// A transport with connections, such as a WebSocket, does not know which of them have
// become clients of the game: the layer above decides that. A server's Conn that is an
// Admitter is told, and can close connections that stay strangers.
//
// Where anybody can send, as over UDP, strangers can send more than a server takes in. An
// Admitter keeps room for each admitted address that no other can take, so that such a
// flood costs clients no datagram, and a Filterer drops what can't be a packet before it
// takes any. Both are optional.
//
// # Bringing a transport along
//
// Implement Conn, and Listener or Dialer to open it; pass these to Server.Start
// and Client.Connect. Package transporttest holds the rules above as a test
// suite that a new transport runs against itself; the example of this package
// is a complete transport of about forty lines that passes it.
package transport
