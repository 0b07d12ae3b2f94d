// Package udp carries datagrams over UDP sockets.
//
// Listener opens a server's socket, Dialer a client's; both work with IPv4 and
// IPv6, and a Listener on ":40000" serves both with one socket.
//
// # Operation
//
// One goroutine per socket reads datagrams into a bounded queue, from which Receive takes
// them without waiting; when the queue is full, the newest datagram is dropped and
// counted. Send gives a whole batch to the kernel: on Linux with one system call for up to
// 256 datagrams, and consecutive datagrams of equal size for one peer as one segmented
// datagram (UDP GSO) where kernel and device support it; elsewhere one by one. Neither
// direction allocates in the steady state.
//
// A server's queue reserves room for each connected client (Listener.ClientQueue), and has a
// separate limit for all other addresses (Listener.StrangerQueue). No client takes more than an
// eighth of the room that clients share (Listener.Queue). In a frame, Receive returns only the
// datagrams that waited when the frame began. Datagrams that cannot be packets of the connection
// layer are dropped on arrival. So a flood of strangers costs connected clients nothing, a flood
// from the address of a client costs no other client anything, and a frame ends, as long as the
// kernel's buffer does not overflow: on Linux, raise net.core.rmem_max to DefaultListenerBuffer,
// since the system's limit often holds no more than a few milliseconds of a flood.
//
// Addresses are given in their plain form: an IPv4 peer of a socket that serves
// both families is 192.0.2.1, not ::ffff:192.0.2.1.
//
// # Limitations
//
// It does not fragment, encrypt or retry: a datagram that the kernel does not accept at
// once, or that has no route, is lost and counted. Datagrams over entangle.MaxDatagram are
// neither sent nor received. ICMP messages ("port unreachable") never break a Conn; the
// session notices by its timeout that a peer has gone.
//
// Browsers have no UDP: on js and wasip1 Listen and Dial return ErrNoUDP.
package udp
