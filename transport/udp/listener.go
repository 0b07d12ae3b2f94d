package udp

import (
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/internal/address"
	"github.com/entangle-ecs/entangle/transport/internal/queue"
)

// Defaults of Listener and Dialer.
const (
	// DefaultListenerBuffer is asked of the kernel for each direction of a
	// server's socket, in bytes. With the kernel's own overhead it holds two
	// datagrams each for 800 clients. Linux grants no more than net.core.rmem_max
	// and net.core.wmem_max, often 208 KiB, without telling, unless the process has
	// CAP_NET_ADMIN.
	DefaultListenerBuffer = 4 << 20

	// DefaultListenerQueue is how many datagrams of connected clients wait for a
	// server's Receive beyond those of DefaultClientQueue. It is ten frames of 400
	// clients that send once per frame, in 4.7 MB.
	DefaultListenerQueue = 4096

	// QueueShares says how many of one client's datagrams wait beyond its
	// ClientQueue: at most one in so many of Listener.Queue, so that an address
	// that floods, or that somebody forges, leaves room for bursts of others.
	QueueShares = 8

	// DefaultClientQueue is how many datagrams of each connected client have room
	// in any case: half a second of one datagram in every frame at 60 Hz, in 37 KB
	// once they have been there.
	DefaultClientQueue = 32

	// DefaultStrangerQueue is how many datagrams wait that come from no connected
	// client, and so how many of them a frame takes in: attempts to connect of 1,000
	// players at once, in 1.2 MB, and at most 2 ms of work where they are forged.
	DefaultStrangerQueue = 1024
)

// Listener opens the UDP socket of a server.
type Listener struct {
	// Addr is the address to listen at: "127.0.0.1:40000" for one interface,
	// "0.0.0.0:40000" for all over IPv4, ":40000" or "[::]:40000" for all over
	// IPv4 and IPv6. Port 0 takes any free port; the Conn's LocalAddr tells it.
	// Names other than "localhost" are not resolved. There is no default.
	Addr string

	// ReadBuffer and WriteBuffer are the kernel's buffers of the socket, in
	// bytes. 0: DefaultListenerBuffer. Negative: what the system gives.
	ReadBuffer, WriteBuffer int

	// Queue is how many datagrams of connected clients may wait for Receive beyond
	// those that ClientQueue has room for, of entangle.MaxDatagram bytes each. One
	// client takes at most an eighth of it (QueueShares). 0: DefaultListenerQueue.
	Queue int

	// ClientQueue is how many datagrams of each connected client may wait for
	// Receive, whatever strangers and other clients send. 0: DefaultClientQueue.
	// Negative: none, all clients share Queue.
	ClientQueue int

	// StrangerQueue is how many datagrams may wait for Receive that come from no
	// connected client. A
	// connection layer that never says which addresses are clients
	// (transport.Admitter) has no other. 0: DefaultStrangerQueue.
	StrangerQueue int
}

var _ transport.Listener = Listener{}

// Listen opens the socket. The error for a field that cannot be used names it
// and says what to write; a taken port is an error that wraps the system's.
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

// waiting says how many datagrams may wait.
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
