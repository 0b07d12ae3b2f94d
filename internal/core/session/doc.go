// Package session is netcode 1.02 without sockets: how a client with a connect
// token becomes a connected client, how datagrams are sealed, opened and kept
// from being replayed, and how a connection ends. Any transport carries it.
//
// What it guarantees. A slot goes only to who holds an unused token for this
// server, made with its key, and answers from the address it asked from. Each
// payload handed out was sealed by that client, once. Bytes from anybody else
// change nothing, are counted by reason, and get no answer; the one answer to a
// request is at most 0.31 of its size. All memory is fixed when the server is
// made: what does not fit is refused, and nobody connected is put out for it. No
// key ever seals two packets with one number, over restarts too, if tokens list
// one server and are minted with the server's TokenLife.
//
// What it does not: payloads may be lost, and arrive in any order. There is no
// reliability, no round-trip time, and no reason text here.
//
// How to drive a Server, from one goroutine:
//
//   - getters: Connected, Addr, ClientID, Clients, MaxClients, Stopped, Stats;
//   - in: HandleDatagram(from, b, now) for each datagram, and Advance(now) once a
//     frame for timeouts and keep-alives;
//   - commands: Disconnect(slot, now), Stop(now);
//   - out: PollEvent until empty after each HandleDatagram and Advance, before the
//     returned payload is used; PollDatagram until empty whenever datagrams were
//     handled, the server advanced, or a command given; AppendPayload for the
//     game's own packets, preceded by AppendKeepAlive while KeepAliveFirst.
//
// AppendPayload, AppendKeepAlive and KeepAliveFirst touch one slot only: while
// nothing else runs, different slots may be sealed by different goroutines.
//
// A Client is driven alike: Connect(now), then HandleDatagram, Advance,
// PollDatagram and AppendPayload, with State and Reason as getters.
//
// The standard: https://github.com/mas-bandwidth/netcode, version "NETCODE 1.02".
package session
