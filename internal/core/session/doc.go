// Package session implements netcode 1.02 without sockets: how a client with a connect token
// becomes a connected client, how datagrams are sealed, opened and protected from replay, and how a
// connection ends. It works with any transport.
//
// Guarantees. A client gets a slot only with an unused token for this server, made with the
// server's key, and only if it answers the challenge from the address from which it sent its
// request. Each delivered payload was sealed by that client, and is delivered once. Other bytes
// change nothing, are counted by reason, and are not answered. The answer to a request has at most
// 0.31 of its size. All memory is allocated when the server is created; requests for which it has
// no memory are refused, and no connected client is removed for them. No key ever seals two packets
// with the same number, even over restarts, if tokens list one server and are minted with the
// server's TokenLife.
//
// Limitations. Payloads may be lost and may arrive in any order. There is no reliability, no
// measurement of round trips, and no text for the reason of a disconnect.
//
// A Server must be driven from one goroutine:
//
//   - getters: Connected, Clients, Stats;
//   - incoming: HandleDatagram(from, b, now) for each datagram, and Advance(now) once per
//     frame for timeouts and keep-alives;
//   - commands: Disconnect(slot, now), Stop(now);
//   - outgoing: PollEvent until it returns nothing after each HandleDatagram and Advance,
//     before the returned payload is used; PollDatagram until it returns nothing after
//     datagrams were handled, the server advanced, or a command was given; AppendPayload for
//     the game's own packets, after AppendKeepAlive as long as KeepAliveFirst returns true.
//
// AppendPayload, AppendKeepAlive and KeepAliveFirst use one slot only: while no other method runs,
// different goroutines may seal packets for different slots.
//
// A Client is driven in the same way: Connect(now), then HandleDatagram, Advance, PollDatagram and
// AppendPayload. Its getters are State and Reason.
//
// The standard is https://github.com/mas-bandwidth/netcode, version "NETCODE 1.02".
package session
