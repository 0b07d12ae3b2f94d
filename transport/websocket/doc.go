// Package websocket carries datagrams over WebSockets (RFC 6455), for players whose network
// blocks UDP. It is for native programs; browsers are not supported yet.
//
// Listener opens a port with an HTTP server of its own, Handler is mounted on an existing
// HTTP server, Dialer connects a client. One binary message is one datagram; compression is
// off, because encrypted bytes do not shrink.
//
// # Guarantees
//
// Send, Receive and Dial do not wait. Each WebSocket has a bounded queue of datagrams to write, and
// a goroutine that writes them; when the queue is full, the newest datagrams are lost and counted.
// The WebSocket of a peer that does not read for 10 s is closed. Received datagrams wait in one
// queue for all clients, and in another for all strangers. Once 64 datagrams of a client were
// queued there, its WebSocket is not read until the game has read all waiting datagrams, so that a
// flood costs the other clients nothing. At most 128 datagrams of a client wait.
//
// A text message, an empty one, or one of more than entangle.MaxDatagram bytes closes its WebSocket
// with the status 1003, 1008 or 1009, and is never held in memory. A WebSocket that brings 8 KiB
// without a datagram among them is closed as well, without a status. A broken WebSocket is never an
// error of a server's Conn. Every WebSocket has a made-up address from fd00::/8, which is not
// reused; Conn.Remote returns its real one. Neither direction allocates in the steady state.
//
// Strangers cost little. Of a WebSocket that the layer above has not admitted (transport.Admitter),
// only the first AdmitBytes are read, and it is closed after AdmitWithin. There are at most
// DefaultPending such WebSockets at a time, and DefaultPendingPerAddress from one IPv4 address or
// one /64 of IPv6; more are refused before the upgrade, with the HTTP status 503 or 429. A page of
// an origin that is not listed gets 403.
//
// A client's Conn tries to connect until it is closed. Once its WebSocket breaks, or the server
// refuses it, Receive returns an error: the game has to dial again, with a new token. Requests that
// a session repeats until they are answered are sent once every two seconds, since a stream loses
// nothing.
//
// # Limitations
//
// It is a stream: lost bytes delay all later ones by a round trip or more. Offer UDP first, and
// this in addition: a server can listen at both, on one port number. Datagrams wait in the kernel's
// buffers as well, so this package requests small ones.
//
// # Behind a reverse proxy
//
// All clients come from the proxy's address, and headers such as X-Forwarded-For are not
// trusted, since anybody can write them: raise Limits.PendingPerAddress and let the proxy
// count. Give the server a key even if the proxy is on the same machine: without one,
// everybody who gets through the proxy gets in. Tokens list the address in
// ServerConfig.PublicAddrs, and clients set Dialer.URL.
package websocket
