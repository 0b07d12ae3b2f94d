package transport

import (
	"errors"
	"net/netip"
)

// ErrEmpty is what Receive returns when no datagram waits at the moment.
var ErrEmpty = errors.New("transport: no datagram waits")

// ErrClosed is what Receive and Send return once the Conn was closed. It may
// come wrapped; test for it with errors.Is.
var ErrClosed = errors.New("transport: connection is closed")

// Datagram is one packet to or from the peer named by Addr.
type Datagram struct {
	Addr netip.AddrPort
	Data []byte
}

// Conn is an open end of a transport. One goroutine drives it; Close may be
// called from any.
type Conn interface {
	// LocalAddr is the address that peers reach this end by, as far as this end
	// can know it: a socket bound to a wildcard names the wildcard. The port is
	// the real one also where port 0 was asked for.
	LocalAddr() netip.AddrPort

	// Receive copies the next datagram that has arrived into buf and never
	// blocks. It returns ErrEmpty when nothing waits now, or when what waits is
	// left for the next frame; any other error means that the Conn is broken, or
	// closed (ErrClosed). A datagram that does not
	// fit into buf whole is dropped, never cut; Receive then goes on to the next.
	Receive(buf []byte) (n int, from netip.AddrPort, err error)

	// Send hands a batch over. It keeps nothing of the batch after it returns
	// and never blocks for longer than a system call. It returns how many
	// datagrams were handed to the network; the others are lost, as datagrams
	// are. An error means that the Conn is broken, or closed (ErrClosed).
	Send(batch []Datagram) (sent int, err error)

	// Close frees what the Conn holds (its port, its goroutine) before it
	// returns. Closing again does nothing and returns nil.
	Close() error
}

// Local is a Conn that knows who can reach it. A server without a key listens
// only where strangers can't be: at loopback addresses, and at a Conn whose Local
// says true. A Conn without the method is judged by its address.
type Local interface {
	// Local reports whether all peers are in this process or on this machine.
	Local() bool
}

// Admitter is a Conn of a server that wants to know which of its peers are clients: it
// can keep room for what those send, whatever strangers do, and one with connections of
// its own can close those that never become a client. The layer above calls both methods
// from the goroutine that drives the Conn. A Conn without them is not told.
type Admitter interface {
	// Admit says that a client is connected from this address.
	Admit(addr netip.AddrPort)

	// Dismiss says that the client at this address is gone. The last datagrams for it
	// were handed to Send before. Each Admit is followed by one Dismiss, unless the Conn
	// is closed first; an address that is dismissed can be admitted again.
	Dismiss(addr netip.AddrPort)
}

// Filter reports whether a datagram can be a packet of the layer above, by its size and
// the bytes that are in clear. client says whether it comes from an admitted address (see
// Admitter). A Conn may call it from any goroutine, and while it holds locks: it returns
// at once, allocates nothing, and neither keeps nor changes data.
type Filter func(data []byte, client bool) bool

// Filterer is a Conn of a server that drops datagrams on arrival, before they take a
// place among those that wait for Receive. The layer above looks at everything once more:
// a Conn without these methods hands out all that it has received.
type Filterer interface {
	Admitter

	// SetFilter has datagrams dropped that the filter refuses. It is called once, before
	// the first Receive. Datagrams that came before may still be handed out.
	SetFilter(Filter)

	// Drops may be called from any goroutine.
	Drops() Drops
}

// Drops counts datagrams that a server's Conn dropped on arrival, since it was opened.
type Drops struct {
	Form          uint64 // refused by the Filter
	StrangersFull uint64 // from an address that is not admitted, when there was no room
	ClientFull    uint64 // from an admitted address, when there was no room
}

// Listener opens a server's end. Server.Start calls Listen, and calls it again
// when the server starts again after a stop, so Listen may not use itself up.
type Listener interface {
	Listen() (Conn, error)
}

// Dialer opens a client's end towards one server. The Conn speaks with that
// server only: what comes from another address, or is sent to one, is dropped.
// Client.Connect calls Dial once for each server address it tries.
type Dialer interface {
	Dial(server netip.AddrPort) (Conn, error)
}
