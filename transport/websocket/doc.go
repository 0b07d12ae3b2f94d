// Package websocket carries datagrams over WebSockets (RFC 6455), for players whose
// network lets no UDP through. It is for native programs; browsers are not served yet.
//
// Listener opens a port with an HTTP server of its own, Handler is mounted at a server
// that exists, Dialer connects a client. One binary message is one datagram; compression
// is off, because what is sealed does not shrink.
//
// # What it guarantees
//
// Neither Send nor Receive waits, and Dial does not either. Each WebSocket has a queue of
// bounded length for what is to be written, and a goroutine that writes it; when the
// queue is full, the newest datagrams are lost and counted. A peer that takes nothing in
// for 10 s is closed. Goroutines that read fill one queue of all clients, and one of
// strangers, which takes no room of the first; a client of which
// 64 datagrams wait there is not read until the game has emptied it, so that a flood
// costs the others nothing.
//
// A text message, an empty one, or one of more than entangle.MaxDatagram bytes closes
// its WebSocket with the status 1003, 1008 or 1009, and is never held in memory. So do
// 8 KiB without a datagram among them, with no status. A broken WebSocket is never an
// error of a server's Conn. Every one has a made-up address from fd00::/8, which is not
// used twice; Conn.Remote knows who it is. Neither direction allocates once it is warm.
//
// Strangers cost little. A WebSocket that the layer above has not admitted
// (transport.Admitter) is read for AdmitBytes, then left to fill its sender's buffers,
// and closed after AdmitWithin. At a time there are at most DefaultPending of these, and
// DefaultPendingPerAddress from one IPv4 address or one /64 of IPv6; more are refused
// before the upgrade, with the HTTP status 503 or 429. A page of an origin that is not
// listed gets 403.
//
// A client's Conn tries to connect until it is closed. Once its WebSocket breaks, or the
// server refuses it, Receive returns an error that says so: a new Dial is needed, with a
// new token. What a session repeats until it is answered is sent once every two seconds,
// for a stream loses nothing.
//
// # What it does not
//
// It is a stream: what was lost on the way holds up all that was sent behind it, for a
// round trip or more. Offer UDP first, and this beside it: a server listens at both at
// once, on one port number. Datagrams wait in the kernel's buffers as well; they are
// asked to be small.
//
// # Behind a reverse proxy
//
// All clients come from the proxy's address, and headers such as X-Forwarded-For are not
// believed, since anybody can write them: raise Limits.PendingPerAddress and let the
// proxy count. Give the server a key also where the proxy is on the same machine: without
// one, everybody who gets through the proxy gets in. Tokens name the address that is in
// ServerConfig.PublicAddrs, and clients set Dialer.URL.
package websocket
