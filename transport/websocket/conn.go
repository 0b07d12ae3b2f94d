//go:build !js && !wasip1

package websocket

import (
	"encoding/binary"
	"net/netip"
	"sync"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/internal/queue"
)

// Conn is a server's end: all WebSockets of one Listener or Handler.
type Conn struct {
	addr     netip.AddrPort
	origins  []string
	limits   Limits
	patience patience
	shut     func() // stops the source of requests

	arrived *queue.Intake
	pace    pace
	pending *pendingLimit

	mu     sync.RWMutex
	peers  map[netip.AddrPort]*peer
	last   uint64 // counts the addresses made up so far
	closed bool
	broken error

	running sync.WaitGroup
	count   counters
}

var (
	_ transport.Conn     = (*Conn)(nil)
	_ transport.Admitter = (*Conn)(nil)
)

func newConn(addr netip.AddrPort, origins []string, l Limits, p patience) *Conn {
	return &Conn{
		addr: addr, origins: origins, limits: l, patience: p.orDefault(),
		shut:    func() {},
		arrived: queue.NewIntake(queue.Limits{Strangers: min(strangerShare*l.Pending, l.Queue), Shared: l.Queue}),
		pending: newPendingLimit(l.Pending, l.PendingPerAddress),
		peers:   map[netip.AddrPort]*peer{},
	}
}

// LocalAddr returns the address of the TCP port, or that of a Handler's config.
func (c *Conn) LocalAddr() netip.AddrPort { return c.addr }

// Receive implements transport.Conn. An error other than ErrEmpty and ErrClosed is an error
// of the port; a WebSocket that breaks causes none.
func (c *Conn) Receive(buf []byte) (int, netip.AddrPort, error) {
	n, from, err := c.arrived.Pop(buf)
	if err != nil {
		c.pace.beginRound()
		err = c.ending(err)
	}
	return n, from, err
}

// ending returns the error of a broken port, else err.
func (c *Conn) ending(err error) error {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.broken != nil && !c.closed {
		return c.broken
	}
	return err
}

// Send implements transport.Conn. A datagram counts as sent once it is queued. If the queue
// of its peer is full (Limits.Backlog), it is lost.
func (c *Conn) Send(batch []transport.Datagram) (int, error) {
	if c.arrived.Closed() {
		return 0, transport.ErrClosed
	}
	sent := 0
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, d := range batch {
		p := c.peers[d.Addr]
		switch {
		case p == nil || len(d.Data) == 0 || len(d.Data) > entangle.MaxDatagram:
			c.count.unsendable.Add(1)
		case !p.out.enqueue(d.Data):
			c.count.backlogFull.Add(1)
		default:
			sent++
			c.count.sentBytes.Add(uint64(len(d.Data)))
		}
	}
	c.count.sent.Add(uint64(sent))
	return sent, nil
}

// Admit implements transport.Admitter: the WebSocket with this address stays open.
func (c *Conn) Admit(addr netip.AddrPort) {
	c.arrived.Admit(addr)
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := c.peers[addr]; p != nil && p.stranger {
		c.endStranger(p)
		close(p.wire.admitted)
		p.wake()
	}
}

// endStranger stops counting a peer as a stranger; the caller holds the lock.
func (c *Conn) endStranger(p *peer) {
	p.stranger = false
	p.deadline.Stop()
	c.pending.releaseAddr(p.remote.Addr())
}

// Dismiss implements transport.Admitter: the WebSocket is closed once all queued datagrams
// are written, after at most half a second whether the peer reads them or not.
func (c *Conn) Dismiss(addr netip.AddrPort) {
	c.arrived.Dismiss(addr)
	c.mu.RLock()
	p := c.peers[addr]
	c.mu.RUnlock()
	if p != nil {
		p.closeAfterQueue(errGone)
	}
}

// Remote returns the address from which the WebSocket with a made-up address comes: that of
// the reverse proxy, if there is one. It is invalid for an address without an open WebSocket.
func (c *Conn) Remote(addr netip.AddrPort) netip.AddrPort {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if p := c.peers[addr]; p != nil {
		return p.remote
	}
	return netip.AddrPort{}
}

// fail records that the port is broken.
func (c *Conn) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.broken = err
}

// addRunning reports whether the Conn is open; if so, it adds to running, and the caller calls Done.
func (c *Conn) addRunning() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.running.Add(1)
	return true
}

// addPeer registers a WebSocket and starts its goroutines, unless the Conn is closed.
func (c *Conn) addPeer(p *peer) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	p.addr = c.makeUpAddress()
	c.peers[p.addr] = p
	p.start()
	return true
}

// port is the port of every made-up address; the host part identifies the peer.
const port = 40000

// makeUpAddress never returns an address twice. The caller holds the lock.
func (c *Conn) makeUpAddress() netip.AddrPort {
	c.last++
	host := [16]byte{0: 0xfd, 7: 1}
	binary.BigEndian.PutUint64(host[8:], c.last)
	return netip.AddrPortFrom(netip.AddrFrom16(host), port)
}

// removePeer unregisters a closed WebSocket.
func (c *Conn) removePeer(p *peer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.peers, p.addr)
	if p.stranger {
		c.endStranger(p)
	}
}

// Close frees the port, notifies the clients, and waits for the goroutines: half a second
// at most, in which queued datagrams are written and clients may answer. Datagrams that
// wait for Receive are dropped.
func (c *Conn) Close() error {
	c.mu.Lock()
	first := !c.closed
	c.closed = true
	c.mu.Unlock()
	if first {
		c.arrived.Close()
		c.shut()
		c.mu.RLock()
		for _, p := range c.peers {
			if p.stranger {
				p.wire.cut()
			} else {
				p.closeAfterQueue(errStopped)
			}
		}
		c.mu.RUnlock()
	}
	c.running.Wait()
	return nil
}
