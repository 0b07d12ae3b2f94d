// Package session implements netcode 1.02 without sockets: how a client with a connect token becomes a connected
// client, how datagrams are sealed, opened and protected from replay, and how a connection ends. It works over any
// transport.
//
// Guarantees. A slot goes only to a client with an unused token for this server, made with its key, that answers from
// the address from which it sent its request. Each delivered payload was sealed by that client, once. Other bytes
// change nothing, are counted by reason, and get no answer; the answer to a request has at most 0.31 of its size. All
// memory is allocated when the server is created: what does not fit is refused, and no connected client is removed for
// it. No key ever seals two packets with one number, even over restarts, if tokens list one server and are minted with
// the server's TokenLife.
//
// Limitations. Payloads may be lost, and arrive in any order. There is no reliability, no measurement of round trips,
// and no text for the reason of a disconnect.
//
// How to drive a Server, from one goroutine:
//
//   - getters: Connected, Clients, Stats;
//   - in: HandleDatagram(from, b, now) for each datagram, and Advance(now) once a
//     frame for timeouts and keep-alives;
//   - commands: Disconnect(slot, now), Stop(now);
//   - out: PollEvent until empty after each HandleDatagram and Advance, before the
//     returned payload is used; PollDatagram until empty whenever datagrams were
//     handled, the server advanced, or a command given; AppendPayload for the
//     game's own packets, preceded by AppendKeepAlive while KeepAliveFirst.
//
// AppendPayload, AppendKeepAlive and KeepAliveFirst touch one slot only: while no other method runs, different
// goroutines may seal packets for different slots.
//
// A Client is driven in the same way: Connect(now), then HandleDatagram, Advance, PollDatagram and AppendPayload, with
// State and Reason as getters.
//
// The standard: https://github.com/mas-bandwidth/netcode, version "NETCODE 1.02".
package session
