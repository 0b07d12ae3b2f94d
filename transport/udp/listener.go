package udp

import (
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/internal/address"
	"github.com/entangle-ecs/entangle/transport/internal/queue"
)

// Defaults of Listener and Dialer.
const (
	// DefaultListenerBuffer is the kernel buffer requested for each direction of a
	// server's socket, in bytes. With the kernel's own overhead it holds two datagrams
	// each for 800 clients. Linux silently grants no more than net.core.rmem_max and
	// net.core.wmem_max, often 208 KiB, unless the process has CAP_NET_ADMIN.
	DefaultListenerBuffer = 4 << 20

	// DefaultListenerQueue is how many datagrams of connected clients wait for a server's
	// Receive beyond those of DefaultClientQueue: ten frames of 400 clients that send once
	// per frame, in 4.7 MB.
	DefaultListenerQueue = 4096

	// QueueShares limits how much of Listener.Queue the datagrams of one client may take: Queue
	// divided by QueueShares. An address that floods, or that is forged, therefore leaves room for
	// bursts of other clients.
	QueueShares = 8

	// DefaultClientQueue is how many datagrams of each connected client always have room:
	// half a second of one datagram in every frame at 60 Hz, in up to 37 KB.
	DefaultClientQueue = 32

	// DefaultStrangerQueue is how many datagrams may wait that come from addresses of no connected
	// client. The game reads at most that many of these datagrams in a frame. This is enough for
	// 1,000 players who connect at once. It costs up to 1.2 MB, and up to 2 ms of work if the datagrams are forged.
	DefaultStrangerQueue = 1024
)

// Listener opens the UDP socket of a server.
type Listener struct {
	// Addr is the address to listen at: "127.0.0.1:40000" for one interface,
	// "0.0.0.0:40000" for all over IPv4, ":40000" or "[::]:40000" for all over
	// IPv4 and IPv6. Port 0 takes any free port; the Conn's LocalAddr returns it.
	// Names other than "localhost" are not resolved. There is no default.
	Addr string

	// ReadBuffer and WriteBuffer are the kernel's buffers of the socket, in
	// bytes. 0: DefaultListenerBuffer. Negative: the default of the system.
	ReadBuffer, WriteBuffer int

	// Queue is how many datagrams of connected clients may wait for Receive beyond the
	// room that ClientQueue reserves, of entangle.MaxDatagram bytes each. One client takes
	// at most an eighth of it (QueueShares). 0: DefaultListenerQueue.
	Queue int

	// ClientQueue is how many datagrams of each connected client may wait for Receive, whatever
	// strangers and other clients send. 0: DefaultClientQueue. Negative reserves no room: all
	// clients share Queue.
	ClientQueue int

	// StrangerQueue is how many datagrams from addresses of no connected client may wait
	// for Receive. It is the only queue for a connection layer that never admits addresses
	// (transport.Admitter). 0: DefaultStrangerQueue.
	StrangerQueue int
}

var _ transport.Listener = Listener{}

// Listen opens the socket. The error for an invalid field names the field and a valid
// value; the error for a port in use wraps the system's.
func (l Listener) Listen() (transport.Conn, error) {
	addr, err := address.Parse("udp: Listener.Addr", l.Addr)
	if err != nil {
		return nil, err
	}
	waiting, err := l.waiting()
	if err != nil {
		return nil, err
	}
	o := options{l.ReadBuffer, l.WriteBuffer, waiting}
	return listen(addr, o.orBuffers(DefaultListenerBuffer))
}

// waiting returns the limits of the queue.
func (l Listener) waiting() (limits queue.Limits, err error) {
	if limits.Shared, err = room("Listener.Queue", l.Queue, DefaultListenerQueue); err != nil {
		return limits, err
	}
	limits.Each = max(limits.Shared/QueueShares, 1)
	if limits.Strangers, err = room("Listener.StrangerQueue", l.StrangerQueue, DefaultStrangerQueue); err != nil {
		return limits, err
	}
	limits.Client, err = room("Listener.ClientQueue", max(l.ClientQueue, 0), DefaultClientQueue)
	if l.ClientQueue < 0 {
		limits.Client = 0
	}
	return limits, err
}
