// Package plain is connections without encryption and without tokens, as machines without
// sockets: for networks where everybody is trusted.
//
// What it guarantees. A client gets a slot only if it receives at the address it sends
// from, and names our game. Each client id is connected once. Who can neither read nor
// guess a connection's two random numbers of 64 bits has no effect on it, whatever address
// it writes as its own. Each payload is handed out once at most, and nothing before its
// connection or after its end. An answer to a stranger is shorter than what it answers.
// All memory is fixed when the server is made.
//
// What it does not: whoever can send here can be any client that is not connected, and
// whoever reads along can be those that are. Payloads may be lost, and arrive in any order.
//
// How to drive a Server, from one goroutine:
//
//   - in: HandleDatagram(from, b, now) for each datagram, which returns an event, or
//     bytes to be sent back at once; then Expire(now) until it has no more;
//   - commands: End(slot), with as many of AppendGoodbye before as shall say so;
//   - out: AppendPayload for what is to be sent, after AppendKeepAlive while the slot is
//     Unconfirmed; and once a frame AppendKeepAlive for each slot that is Due.
//
// These touch one slot only: while nothing else runs, different slots may be written to by
// different goroutines.
//
// A Client is driven alike: HandleDatagram, Expire, AppendPayload, and AppendDue.
package plain
