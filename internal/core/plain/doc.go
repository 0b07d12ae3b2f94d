// Package plain implements connections without encryption and without tokens, for trusted networks.
// It works without sockets.
//
// Guarantees. A client gets a slot only if it receives at the address from which it sends, and only
// for the same game. Each client id is connected at most once. A program that can neither read nor
// guess a connection's two random 64-bit numbers cannot affect it, whatever source address it
// forges. Each payload is delivered at most once, and none before its connection begins or after it
// has ended. A reply to an address that is not connected is shorter than the datagram that it
// answers. All memory is allocated when the server is created.
//
// Limitations. A program that can send to the server can use the id of any client that is not
// connected. A program that can read the packets of connected clients can forge them. Payloads may
// be lost and may arrive in any order.
//
// A Server must be driven from one goroutine:
//
//   - incoming: HandleDatagram(from, b, now) for each datagram, which returns an event, or a
//     reply to send at once; then Expire(now) until it returns no event;
//   - commands: End(slot), after sending as many packets of AppendGoodbye as wanted;
//   - outgoing: AppendPayload for each payload, after AppendKeepAlive as long as the slot is
//     Unconfirmed; and once per frame AppendKeepAlive for each slot that is Due.
//
// The methods for outgoing packets use one slot only: while no other method runs, different
// goroutines may call them for different slots.
//
// A Client is driven in the same way, with HandleDatagram, Expire, AppendPayload and AppendDue.
package plain
