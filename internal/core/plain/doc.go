// Package plain implements connections without encryption and without tokens, as machines
// without sockets: for trusted networks.
//
// Guarantees. A client gets a slot only if it receives at the address from which it sends,
// and names the server's game. Each client id is connected once. A program that can neither
// read nor guess a connection's two random 64-bit numbers cannot affect it, whatever source
// address it forges. Each payload is delivered once at most, and none before its connection
// or after its end. A reply to a stranger is shorter than the datagram that it answers. All
// memory is allocated when the server is created.
//
// Limitations. A program that can send to the server can use the id of any client that is not
// connected, and one that can read the packets can forge those of connected clients. Payloads
// may be lost, and arrive in any order.
//
// How to drive a Server, from one goroutine:
//
//   - in: HandleDatagram(from, b, now) for each datagram, which returns an event, or a
//     reply to send at once; then Expire(now) until it returns no more events;
//   - commands: End(slot), after as many AppendGoodbye as should be sent;
//   - out: AppendPayload for each payload, after AppendKeepAlive while the slot is
//     Unconfirmed; and once a frame AppendKeepAlive for each slot that is Due.
//
// These touch one slot only: while no other method runs, different goroutines may write to
// different slots.
//
// A Client is driven in the same way: HandleDatagram, Expire, AppendPayload, and AppendDue.
package plain
