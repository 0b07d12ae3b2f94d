package transport_test

import (
	"bytes"
	"fmt"
	"net/netip"
	"sync"

	"github.com/entangle-ecs/entangle/transport"
)

// pipes is a transport of Go channels. All ends have the address fd00::1, with ports from 1 on.
type pipes struct {
	mu   sync.Mutex
	ends map[netip.AddrPort]*pipe
	last uint16
}

// pipe is one end of the transport.
type pipe struct {
	pipes        *pipes
	addr, server netip.AddrPort
	arrived      chan transport.Datagram
}

func (p *pipes) open(server netip.AddrPort) (transport.Conn, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last++
	addr := netip.AddrPortFrom(netip.MustParseAddr("fd00::1"), p.last)
	p.ends[addr] = &pipe{pipes: p, addr: addr, server: server, arrived: make(chan transport.Datagram, 256)}
	return p.ends[addr], nil
}

func (p *pipes) Listen() (transport.Conn, error) { return p.open(netip.AddrPort{}) }

func (p *pipes) Dial(server netip.AddrPort) (transport.Conn, error) { return p.open(server) }

// get returns the open end with that address, if there is one.
func (p *pipes) get(addr netip.AddrPort) *pipe {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ends[addr]
}

func (c *pipe) LocalAddr() netip.AddrPort { return c.addr }

func (c *pipe) Receive(buf []byte) (int, netip.AddrPort, error) {
	for c.pipes.get(c.addr) == c {
		select {
		case d := <-c.arrived:
			if len(d.Data) <= len(buf) {
				return copy(buf, d.Data), d.Addr, nil
			}
		default:
			return 0, netip.AddrPort{}, transport.ErrEmpty
		}
	}
	return 0, netip.AddrPort{}, transport.ErrClosed
}

func (c *pipe) Send(batch []transport.Datagram) (sent int, err error) {
	if c.pipes.get(c.addr) != c {
		return 0, transport.ErrClosed
	}
	for _, d := range batch {
		peer := c.pipes.get(d.Addr)
		if peer == nil || peer.server.IsValid() && peer.server != c.addr {
			continue // no such end, or a client of another server: lost
		}
		select {
		case peer.arrived <- transport.Datagram{Addr: c.addr, Data: bytes.Clone(d.Data)}:
			sent++
		default: // the peer is full: lost
		}
	}
	return sent, nil
}

func (c *pipe) Close() error {
	c.pipes.mu.Lock()
	defer c.pipes.mu.Unlock()
	delete(c.pipes.ends, c.addr)
	return nil
}

// A custom transport: Server.Start takes a Listener and Client.Connect takes a
// Dialer. Here, pipes implements both.
func Example() {
	network := &pipes{ends: make(map[netip.AddrPort]*pipe)}
	server, err := network.Listen()
	if err != nil {
		panic(err)
	}
	client, err := network.Dial(server.LocalAddr())
	if err != nil {
		panic(err)
	}
	_, err = client.Send([]transport.Datagram{{Addr: server.LocalAddr(), Data: []byte("hello")}})
	if err != nil {
		panic(err)
	}
	buf := make([]byte, 1150)
	n, from, err := server.Receive(buf)
	fmt.Printf("%s from %v, error: %v\n", buf[:n], from, err)
	_, _, err = server.Receive(buf)
	fmt.Println(err)
	// Output:
	// hello from [fd00::1]:2, error: <nil>
	// transport: no datagram waits
}
