package netsim

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/conditioner"
)

// Link describes the behaviour of a line per direction. Its zero value is a perfect line.
type Link struct {
	// Up is the direction from the client to the server, Down the opposite one.
	Up, Down conditioner.Config
}

// Symmetric returns a link with the same behaviour in both directions. A latency of 40 ms gives a
// round trip of 80 ms.
func Symmetric(c conditioner.Config) Link { return Link{Up: c, Down: c} }

// RoundTrip returns the round trip of the link without jitter.
func (l Link) RoundTrip() time.Duration { return l.Up.Latency + l.Down.Latency }

// Line is one player's line: a dialer. All connections that are opened through it share its link.
type Line struct {
	network *Network
	link    Link
	cut     bool
}

var _ transport.Dialer = (*Line)(nil)

// Link returns the present behaviour of the line.
func (l *Line) Link() Link {
	l.network.mu.Lock()
	defer l.network.mu.Unlock()
	return l.link
}

// SetLink changes the behaviour of the line for datagrams that are sent from now on. Datagrams in
// flight keep their arrival time. If a field is invalid, the error names it, and nothing changes.
func (l *Line) SetLink(link Link) error {
	l.network.mu.Lock()
	defer l.network.mu.Unlock()
	for _, c := range []conditioner.Config{link.Up, link.Down} {
		if _, err := conditioner.NewLink(c, 0); err != nil {
			return err
		}
	}
	l.link = link
	for _, c := range l.network.clients {
		if c.line == l {
			_, _ = c.up.Configure(link.Up), c.down.Configure(link.Down) // checked above
		}
	}
	return nil
}

// Cut drops everything that is sent on the line from now on, in both directions and without an
// error, until Restore. Datagrams in flight still arrive.
func (l *Line) Cut() { l.setCut(true) }

// Restore ends a Cut.
func (l *Line) Restore() { l.setCut(false) }

func (l *Line) setCut(cut bool) {
	l.network.mu.Lock()
	defer l.network.mu.Unlock()
	l.cut = cut
}

// Dial opens a connection with an address of its own. As with UDP, the server need not be listening
// yet. It fails for an address that does not belong to a Network.
func (l *Line) Dial(server netip.AddrPort) (transport.Conn, error) {
	if server.Port() != networkPort || server.Addr().As16()[0] != 0xfd {
		return nil, fmt.Errorf("netsim: %v is no address of a network; dial what Listener.Addr returns", server)
	}
	l.network.mu.Lock()
	defer l.network.mu.Unlock()
	return l.network.openConn(l, server)
}

// clientConn is a client's end, with both directions of its link.
type clientConn struct {
	network      *Network
	line         *Line
	addr, server netip.AddrPort
	up, down     *conditioner.Link
	closed       bool
}

func (c *clientConn) LocalAddr() netip.AddrPort { return c.addr }

// Local reports that all peers are in this process.
func (c *clientConn) Local() bool { return true }

func (c *clientConn) Receive(buf []byte) (int, netip.AddrPort, error) {
	c.network.mu.Lock()
	defer c.network.mu.Unlock()
	if c.closed {
		return 0, netip.AddrPort{}, transport.ErrClosed
	}
	return receive(c.down, c.network.clock(), buf)
}

// receive takes the next datagram of a link that is due and fits into buf.
func receive(link *conditioner.Link, now time.Time, buf []byte) (int, netip.AddrPort, error) {
	for {
		d, ok := link.Pop(now)
		if !ok {
			return 0, netip.AddrPort{}, transport.ErrEmpty
		}
		if len(d.Data) <= len(buf) {
			return copy(buf, d.Data), d.Addr, nil
		}
	}
}

func (c *clientConn) Send(batch []transport.Datagram) (int, error) {
	c.network.mu.Lock()
	defer c.network.mu.Unlock()
	if c.closed {
		return 0, transport.ErrClosed
	}
	sent, now := 0, c.network.clock()
	for _, d := range batch {
		if !sendable(d) || d.Addr != c.server || c.network.servers[c.server] == nil {
			continue
		}
		sent++
		c.network.callTaps(c.addr, d.Addr, d.Data)
		if !c.line.cut {
			c.up.Push(now, transport.Datagram{Addr: c.addr, Data: d.Data})
		}
	}
	return sent, nil
}

// Close closes the client's end. Its datagrams in flight still arrive.
func (c *clientConn) Close() error {
	c.network.mu.Lock()
	defer c.network.mu.Unlock()
	c.closed = true
	delete(c.network.clients, c.addr)
	return nil
}
