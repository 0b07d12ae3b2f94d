package udp

import (
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/internal/address"
)

// Defaults of Listener and Dialer.
const (
	// DefaultListenerBuffer is asked of the kernel for each direction of a
	// server's socket, in bytes. With the kernel's own overhead it holds two
	// datagrams each for 800 clients. Linux grants no more than net.core.rmem_max
	// and net.core.wmem_max, often 208 KiB, without telling.
	DefaultListenerBuffer = 4 << 20

	// DefaultListenerQueue is how many datagrams wait for a server's Receive. It
	// is ten frames of 400 clients that send once per frame, in 4.7 MB.
	DefaultListenerQueue = 4096
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

	// Queue is how many datagrams may wait for Receive, of entangle.MaxDatagram
	// bytes each. 0: DefaultListenerQueue.
	Queue int
}

var _ transport.Listener = Listener{}

// Listen opens the socket. The error for a field that cannot be used names it
// and says what to write; a taken port is an error that wraps the system's.
func (l Listener) Listen() (transport.Conn, error) {
	addr, err := address.Parse("udp: Listener.Addr", l.Addr)
	if err != nil {
		return nil, err
	}
	o, err := resolveOptions("Listener", options{l.ReadBuffer, l.WriteBuffer, l.Queue}, options{
		DefaultListenerBuffer, DefaultListenerBuffer, DefaultListenerQueue,
	})
	if err != nil {
		return nil, err
	}
	return listen(addr, o)
}
