package memory

import (
	"net/netip"
	"sync/atomic"

	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/internal/queue"
)

// Stats counts datagrams of one end since it was opened.
type Stats struct {
	Sent        uint64 // put into a peer's queue
	Unreachable uint64 // sent to an address without an end, or one that this end may not send to
	Refused     uint64 // not accepted by the peer: its queue was full or closed, or the size is not allowed
	Received    uint64 // put into this end's queue
	Full        uint64 // dropped because this end's queue was full
	TooLarge    uint64 // dropped because they did not fit into the buffer given to Receive
}

// Conn is an open end of a memory network.
type Conn struct {
	network *Network
	addr    netip.AddrPort
	server  netip.AddrPort // the only peer of a client's end; not valid at a server's
	arrived *queue.Queue

	sent, unreachable, refused atomic.Uint64
}

// LocalAddr is the made-up address of this end.
func (c *Conn) LocalAddr() netip.AddrPort { return c.addr }

// Local reports that all peers are in this process.
func (c *Conn) Local() bool { return true }

// Receive implements transport.Conn.
func (c *Conn) Receive(buf []byte) (int, netip.AddrPort, error) { return c.arrived.Pop(buf) }

// Send implements transport.Conn. The datagrams that it counts are in a peer's queue when
// it returns. Empty datagrams and those over entangle.MaxDatagram are not carried.
func (c *Conn) Send(batch []transport.Datagram) (int, error) {
	if c.arrived.Closed() {
		return 0, transport.ErrClosed
	}
	sent := 0
	for _, d := range batch {
		peer := c.network.connAt(d.Addr)
		switch {
		case peer == nil || !c.talksTo(peer.addr) || !peer.talksTo(c.addr):
			c.unreachable.Add(1)
		case !peer.arrived.Push(c.addr, d.Data):
			c.refused.Add(1)
		default:
			sent++
		}
	}
	c.sent.Add(uint64(sent))
	return sent, nil
}

// talksTo reports whether this end may send to a peer: a client's end only to its server.
func (c *Conn) talksTo(peer netip.AddrPort) bool {
	return !c.server.IsValid() || c.server == peer
}

// Close removes the end from the network and drops its waiting datagrams.
func (c *Conn) Close() error {
	c.network.removeConn(c)
	c.arrived.Close()
	return nil
}

// Stats returns the counters. It may be called from any goroutine.
func (c *Conn) Stats() Stats {
	q := c.arrived.Stats()
	return Stats{
		Sent:        c.sent.Load(),
		Unreachable: c.unreachable.Load(),
		Refused:     c.refused.Load(),
		Received:    q.Pushed,
		Full:        q.Full,
		TooLarge:    q.TooLarge,
	}
}
