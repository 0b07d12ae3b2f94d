package netsim

import (
	"fmt"
	"net/netip"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/transport"
)

// Listener opens a server's end at one address.
type Listener struct {
	network *Network
	addr    netip.AddrPort
}

var _ transport.Listener = (*Listener)(nil)

// Addr returns the address for lines to dial and for connect tokens to list. It is known before
// Listen.
func (l *Listener) Addr() netip.AddrPort { return l.addr }

// Listen opens the end. It fails while the end of an earlier Listen is open.
func (l *Listener) Listen() (transport.Conn, error) {
	l.network.mu.Lock()
	defer l.network.mu.Unlock()
	if l.network.servers[l.addr] != nil {
		return nil, fmt.Errorf("netsim: %v is listening already; close that Conn first, or use one Listener per server", l.addr)
	}
	s := &serverConn{network: l.network, addr: l.addr}
	l.network.servers[l.addr] = s
	return s, nil
}

// serverConn is a server's end. It receives from all its clients, in the order of arrival.
type serverConn struct {
	network *Network
	addr    netip.AddrPort
	closed  bool
}

func (s *serverConn) LocalAddr() netip.AddrPort { return s.addr }

// Local reports that all peers are in this process.
func (s *serverConn) Local() bool { return true }

func (s *serverConn) Receive(buf []byte) (int, netip.AddrPort, error) {
	s.network.mu.Lock()
	defer s.network.mu.Unlock()
	if s.closed {
		return 0, netip.AddrPort{}, transport.ErrClosed
	}
	now := s.network.clock()
	for {
		c := s.network.earliest(s.addr, now)
		if c == nil {
			return 0, netip.AddrPort{}, transport.ErrEmpty
		}
		if d, _ := c.up.Pop(now); len(d.Data) <= len(buf) {
			return copy(buf, d.Data), d.Addr, nil
		}
	}
}

func (s *serverConn) Send(batch []transport.Datagram) (int, error) {
	s.network.mu.Lock()
	defer s.network.mu.Unlock()
	if s.closed {
		return 0, transport.ErrClosed
	}
	sent, now := 0, s.network.clock()
	for _, d := range batch {
		c := s.network.clients[d.Addr]
		if !sendable(d) || c == nil || c.server != s.addr {
			continue
		}
		sent++
		s.network.callTaps(s.addr, d.Addr, d.Data)
		if !c.line.cut {
			c.down.Push(now, transport.Datagram{Addr: s.addr, Data: d.Data})
		}
	}
	return sent, nil
}

// sendable reports whether a network carries datagrams of this size.
func sendable(d transport.Datagram) bool {
	return len(d.Data) > 0 && len(d.Data) <= entangle.MaxDatagram
}

// Close frees the address. Datagrams in flight to it are lost.
func (s *serverConn) Close() error {
	s.network.mu.Lock()
	defer s.network.mu.Unlock()
	if !s.closed {
		s.closed = true
		delete(s.network.servers, s.addr)
		s.network.dropInFlight(s.addr)
	}
	return nil
}
