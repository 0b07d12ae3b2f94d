// Package udp carries datagrams over UDP sockets.
//
// Listener opens a server's socket, Dialer a client's; both work with IPv4 and
// IPv6, and a Listener on ":40000" serves both with one socket.
//
// # What it does
//
// One goroutine per socket reads into a queue of bounded length, from which
// Receive takes without waiting; when the queue is full the newest datagram is
// dropped and counted. Send gives a whole batch to the kernel: on Linux with one
// system call for up to 256 datagrams, and equal ones in a row for one peer as
// one segmented datagram (UDP GSO) where kernel and device can; elsewhere one by
// one. Neither direction allocates once it is warm.
//
// A server's queue keeps room for each connected client that nobody else can take
// (Listener.ClientQueue), and has a limit of its own for all others
// (Listener.StrangerQueue). Of the room that clients share (Listener.Queue) no address
// takes more than an eighth. A frame takes in what waited when it began. What the
// connection layer says can't be a packet is dropped when it arrives. So a flood of
// strangers costs connected clients nothing, one from the address of a client costs no
// other client anything, and a frame ends, as long as the kernel's buffer does not
// overflow: on Linux, raise net.core.rmem_max to DefaultListenerBuffer, for the system's
// limit often holds no more than a few milliseconds of a flood.
//
// Addresses are given in their plain form: an IPv4 peer of a socket that serves
// both families is 192.0.2.1, not ::ffff:192.0.2.1.
//
// # What it does not
//
// It neither fragments nor encrypts, and it does not retry: a datagram that the
// kernel does not take at once is lost and counted, and so is one that no route
// leads to. Datagrams over entangle.MaxDatagram are not sent, and dropped when
// they come in. ICMP messages ("port unreachable") never break a Conn; a peer
// that is gone is for the session's timeout to find.
//
// Browsers have no UDP: on js and wasip1 Listen and Dial return ErrNoUDP.
package udp
