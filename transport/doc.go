// Package transport defines the interface between Entangle and the code that carries
// its datagrams: UDP sockets, a network inside one process, a WebSocket, or a
// transport that a game implements itself.
//
// # What a transport does
//
// It carries packets of at most entangle.MaxDatagram (1150) bytes between ends
// that have addresses. It may lose, repeat and reorder them; the layers above
// expect all three. It need not authenticate or encrypt either: every datagram
// is sealed, and the layers above drop datagrams that the peer did not seal.
//
// It must preserve the boundaries of datagrams: one Send of n bytes arrives as one
// Receive of the same n bytes, or not at all. A stream needs lengths written into it
// before it can be a transport.
//
// # How it is driven
//
// A server or client opens one Conn per transport when it starts and closes it
// when it stops. In between one goroutine, the game's loop, calls
//
//   - Receive until it returns ErrEmpty, once or more in every frame;
//   - Send with the frame's datagrams, at most a few times in every frame.
//
// Neither may block: they run on the game's time. A transport that has to wait
// for its data (as sockets do) waits in a goroutine of its own, passes the data
// to Receive through a bounded queue, and ends that goroutine in Close.
//
// # Errors
//
// Receive distinguishes three cases. With a nil error it has returned a datagram. ErrEmpty means
// that no datagram waits: the loop ends until the next frame. Any other error is final: the Conn
// will not recover, and its owner closes it.
//
// Send reports how many datagrams the network accepted. The others are lost and not retried. That
// is no error: a full buffer, an address without a route and a peer that has left all look like
// packet loss. An error from Send is final, as is one from Receive. Where each client has a
// connection of its own, as with WebSockets, a client's Conn breaks when that connection ends; a
// server's Conn never breaks because one client disconnects.
//
// Once Close has returned, Receive and Send return ErrClosed (test with
// errors.Is), even if datagrams had arrived before. Close itself returns nil
// however often it is called. LocalAddr keeps returning the same address. Close may
// be called from any goroutine while Receive or Send runs; that call then finishes
// or returns ErrClosed.
//
// # Addresses
//
// Every peer is a netip.AddrPort, because the connect token lists server addresses and because it
// is a comparable key without allocation. An IPv4 address is given in its 4-byte form, never mapped
// into IPv6, so that the same peer always compares equal. A transport without IP addresses makes up
// one per peer from the unique local range fd00::/8, and does not reuse the address of a peer that
// may still send.
//
// # Clients
//
// A transport with connections, such as a WebSocket, does not know which of them are
// clients of the game: the layer above decides that. It reports clients to a server's
// Conn that implements Admitter, which can close connections that never become clients.
//
// Where anybody can send, as over UDP, strangers can send more than a server can read. An Admitter
// reserves room in its queue for each admitted address, so that such a flood costs clients no
// datagram. A Filterer drops datagrams that cannot be packets before they take a place in the
// queue. Both interfaces are optional.
//
// # Implementing a transport
//
// Implement Conn, and Listener or Dialer to open it; pass these to Server.Start
// and Client.Connect. Package transporttest checks the rules above: a new transport
// runs that test suite against itself. The example of this package is a complete
// transport of about forty lines that passes it.
package transport
