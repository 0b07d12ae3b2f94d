package transport

import (
	"errors"
	"net/netip"
)

// ErrEmpty is returned by Receive when no datagram waits at present.
var ErrEmpty = errors.New("transport: no datagram waits")

// ErrClosed is returned by Receive and Send once the Conn is closed. It may be
// wrapped; test for it with errors.Is.
var ErrClosed = errors.New("transport: connection is closed")

// Datagram is one packet to or from the peer named by Addr.
type Datagram struct {
	Addr netip.AddrPort
	Data []byte
}

// Conn is an open end of a transport. One goroutine drives it; Close may be
// called from any goroutine.
type Conn interface {
	// LocalAddr is the address at which peers reach this end, as far as this end
	// knows: a socket bound to a wildcard returns the wildcard. The port is the real
	// one even if port 0 was requested.
	LocalAddr() netip.AddrPort

	// Receive copies the next datagram that has arrived into buf and never
	// blocks. It returns ErrEmpty when no datagram waits, or when those that wait are
	// left for the next frame. Any other error means that the Conn is broken, or
	// closed (ErrClosed). A datagram that does not fit into buf is dropped, never
	// truncated; Receive then continues with the next one.
	Receive(buf []byte) (n int, from netip.AddrPort, err error)

	// Send hands a batch to the network. It keeps no reference to the batch after it
	// returns and never blocks for longer than a system call. It returns how many
	// datagrams the network accepted; the others are lost. An error means that the
	// Conn is broken, or closed (ErrClosed).
	Send(batch []Datagram) (sent int, err error)

	// Close frees the resources of the Conn (its port, its goroutine) before it
	// returns. Closing again does nothing and returns nil.
	Close() error
}

// Local is a Conn that knows whether remote machines can reach it. A server without a key listens
// only where they cannot: at loopback addresses, and at a Conn with a method Local that returns
// true. A Conn without the method is judged by its address.
type Local interface {
	// Local reports whether all peers are in this process or on this machine.
	Local() bool
}

// Admitter is a Conn of a server that needs to know which of its peers are clients: it can reserve
// room for the datagrams of clients, whatever strangers send. A Conn with one connection per peer
// can close connections that never become a client. The layer above calls both methods from the
// goroutine that drives the Conn.
type Admitter interface {
	// Admit reports that a client has connected from this address.
	Admit(addr netip.AddrPort)

	// Dismiss reports that the client at this address has left. The last datagrams for
	// it were handed to Send before. Each Admit is followed by one Dismiss, unless the
	// Conn is closed first; a dismissed address can be admitted again.
	Dismiss(addr netip.AddrPort)
}

// Filter reports whether a datagram can be a packet of the layer above, judged by its size
// and its unencrypted bytes. client is true if it comes from an admitted address (see
// Admitter). A Conn may call it from any goroutine, and while it holds locks: it must
// return at once, allocate nothing, and neither keep nor change data.
type Filter func(data []byte, client bool) bool

// Filterer is a Conn of a server that drops datagrams on arrival, before they take a
// place in the queue for Receive. The layer above checks every datagram again, so a Conn
// without these methods returns all that it has received.
type Filterer interface {
	Admitter

	// SetFilter makes the Conn drop datagrams that the filter refuses. It is called
	// once, before the first Receive. Datagrams that arrived earlier may still be
	// received.
	SetFilter(Filter)

	// Drops returns the counters. It may be called from any goroutine.
	Drops() Drops
}

// Drops counts the datagrams that a server's Conn has dropped on arrival since it was opened.
type Drops struct {
	Form          uint64 // refused by the Filter, whoever sent it
	Strange       uint64 // refused by the Filter only because their address is not admitted: late packets of a former client
	StrangersFull uint64 // from an address that is not admitted, when there was no room
	ClientFull    uint64 // from an admitted address, when there was no room
}

// Listener opens a server's end. Server.Start calls Listen, and calls it again when
// the server is restarted, so Listen must work more than once.
type Listener interface {
	Listen() (Conn, error)
}

// Dialer opens a client's end towards one server. The Conn exchanges datagrams with
// that server only: those from or to other addresses are dropped. Client.Connect calls
// Dial once for each server address that it tries.
type Dialer interface {
	Dial(server netip.AddrPort) (Conn, error)
}
