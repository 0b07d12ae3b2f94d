package conditioner

import (
	"errors"
	"net/netip"
	"sync"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/transport"
)

const (
	// drainLimit bounds how many datagrams one Receive moves from the inner Conn into the link, so
	// that Receive returns even in a flood. The caller calls Receive again after each datagram, and
	// each call moves more of them.
	drainLimit = 256

	// flushSize is how many datagrams go to the inner Conn in one batch.
	flushSize = 64
)

// Conn is an end of a conditioned transport.
type Conn struct {
	mu      sync.Mutex // Close may come from another goroutine
	inner   transport.Conn
	clock   func() time.Time
	out, in *Link
	closed  bool
	buf     [entangle.MaxDatagram]byte
	batch   [flushSize]transport.Datagram
}

var (
	_ transport.Conn     = (*Conn)(nil)
	_ transport.Local    = (*Conn)(nil)
	_ transport.Admitter = (*Conn)(nil)
	_ transport.Filterer = (*Conn)(nil)
)

// LocalAddr returns the address of the inner Conn.
func (c *Conn) LocalAddr() netip.AddrPort { return c.inner.LocalAddr() }

// Local returns what the inner Conn's own Local returns. If the inner Conn has no such method, Local
// reports whether its address is a loopback address.
func (c *Conn) Local() bool {
	if inner, ok := c.inner.(transport.Local); ok {
		return inner.Local()
	}
	return c.inner.LocalAddr().Addr().IsLoopback()
}

// Admit reports to the inner Conn that a client has connected from this address.
func (c *Conn) Admit(addr netip.AddrPort) {
	if inner, ok := c.inner.(transport.Admitter); ok {
		inner.Admit(addr)
	}
}

// Dismiss reports to the inner Conn that the client at this address has left. Datagrams
// to the client that are still in the link are sent later, if at all.
func (c *Conn) Dismiss(addr netip.AddrPort) {
	if inner, ok := c.inner.(transport.Admitter); ok {
		inner.Dismiss(addr)
	}
}

// SetFilter forwards the filter to the inner Conn.
func (c *Conn) SetFilter(filter transport.Filter) {
	if inner, ok := c.inner.(transport.Filterer); ok {
		inner.SetFilter(filter)
	}
}

// Drops returns the counters of the inner Conn.
func (c *Conn) Drops() transport.Drops {
	if inner, ok := c.inner.(transport.Filterer); ok {
		return inner.Drops()
	}
	return transport.Drops{}
}

// Receive moves datagrams from the inner Conn into the receiving link, sends the due datagrams of
// the sending link, and returns the next due datagram of the receiving link.
func (c *Conn) Receive(buf []byte) (int, netip.AddrPort, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return 0, netip.AddrPort{}, transport.ErrClosed
	}
	now := c.clock()
	if err := c.drain(now); err != nil {
		return 0, netip.AddrPort{}, err
	}
	if err := c.flush(now); err != nil {
		return 0, netip.AddrPort{}, err
	}
	for {
		d, ok := c.in.Pop(now)
		if !ok {
			return 0, netip.AddrPort{}, transport.ErrEmpty
		}
		if len(d.Data) <= len(buf) {
			return copy(buf, d.Data), d.Addr, nil
		}
	}
}

// drain moves received datagrams from the inner Conn into the receiving link.
func (c *Conn) drain(now time.Time) error {
	for range drainLimit {
		n, from, err := c.inner.Receive(c.buf[:])
		if errors.Is(err, transport.ErrEmpty) {
			return nil
		}
		if err != nil {
			return err
		}
		c.in.Push(now, transport.Datagram{Addr: from, Data: c.buf[:n]})
	}
	return nil
}

// Send pushes the batch into the sending link and hands the datagrams that are due to the
// inner Conn. A datagram that the link loses counts as sent, since a real network would
// not report its loss either.
func (c *Conn) Send(batch []transport.Datagram) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return 0, transport.ErrClosed
	}
	now := c.clock()
	for _, d := range batch {
		c.out.Push(now, d)
	}
	if err := c.flush(now); err != nil {
		return 0, err
	}
	return len(batch), nil
}

// flush hands the datagrams that are due at now to the inner Conn. The data of a popped
// datagram stays valid until the next push, so a whole batch is sent without another copy.
func (c *Conn) flush(now time.Time) error {
	for {
		n := 0
		for n < flushSize {
			d, ok := c.out.Pop(now)
			if !ok {
				break
			}
			c.batch[n] = d
			n++
		}
		if n == 0 {
			return nil
		}
		if _, err := c.inner.Send(c.batch[:n]); err != nil {
			return err
		}
	}
}

// Close sends the datagrams that are still in flight and closes the inner Conn.
func (c *Conn) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil
	}
	c.closed = true
	// By this time all datagrams are due. If the inner Conn fails, the remaining ones are lost.
	_ = c.flush(time.Unix(1<<40, 0))
	return c.inner.Close()
}

// SendStats returns the counters of the sending link. It may be called from any
// goroutine.
func (c *Conn) SendStats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.out.Stats()
}

// ReceiveStats returns the counters of the receiving link. It may be called from any goroutine.
func (c *Conn) ReceiveStats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.in.Stats()
}

// Configure changes both directions while the Conn is open, as Link.Configure
// does. It may be called from any goroutine.
func (c *Conn) Configure(send, receive Config) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, err := receive.resolve(); err != nil {
		return err
	}
	if err := c.out.Configure(send); err != nil {
		return err
	}
	return c.in.Configure(receive)
}
