package conditioner

import (
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/entangle-ecs/entangle/transport"
)

// Options configure a wrapped transport.
type Options struct {
	// Send and Receive configure the two directions of its Conns.
	Send, Receive Config

	// Seed initialises the random numbers. Each Conn draws from a sequence of its own,
	// so two clients of one dialer lose different datagrams; the n-th Conn draws the same
	// numbers in every run.
	Seed uint64

	// Clock returns the time. nil: time.Now. It may be called from any goroutine that
	// drives a Conn.
	Clock func() time.Time
}

// Listener conditions the Conns of another listener.
type Listener struct {
	inner transport.Listener
	wrapper
}

// Dialer conditions the Conns of another dialer.
type Dialer struct {
	inner transport.Dialer
	wrapper
}

var (
	_ transport.Listener = (*Listener)(nil)
	_ transport.Dialer   = (*Dialer)(nil)
)

// NewListener wraps inner. Listen returns an error for an invalid Config.
func NewListener(inner transport.Listener, o Options) *Listener {
	return &Listener{inner: inner, wrapper: newWrapper(o)}
}

// NewDialer wraps inner. Dial returns an error for an invalid Config.
func NewDialer(inner transport.Dialer, o Options) *Dialer {
	return &Dialer{inner: inner, wrapper: newWrapper(o)}
}

// Listen opens the inner listener.
func (l *Listener) Listen() (transport.Conn, error) {
	return l.wrapConn(l.inner.Listen)
}

// Dial opens the inner dialer.
func (d *Dialer) Dial(server netip.AddrPort) (transport.Conn, error) {
	return d.wrapConn(func() (transport.Conn, error) { return d.inner.Dial(server) })
}

// wrapper opens conditioned Conns.
type wrapper struct {
	options Options
	opened  atomic.Uint64
}

func newWrapper(o Options) wrapper {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	return wrapper{options: o}
}

func (w *wrapper) wrapConn(inner func() (transport.Conn, error)) (transport.Conn, error) {
	stream := mix(w.options.Seed) + 2*w.opened.Add(1)
	out, err := NewLink(w.options.Send, mix(stream))
	if err != nil {
		return nil, err
	}
	in, err := NewLink(w.options.Receive, mix(stream+1))
	if err != nil {
		return nil, err
	}
	conn, err := inner()
	if err != nil {
		return nil, err
	}
	return &Conn{inner: conn, clock: w.options.Clock, out: out, in: in}, nil
}

// mix spreads neighbouring numbers over all 64 bits (the finaliser of splitmix64):
// without it, the second Conn of one seed would draw the numbers of the first Conn of the
// next seed.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
