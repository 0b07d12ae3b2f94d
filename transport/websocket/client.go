//go:build !js && !wasip1

package websocket

import (
	"bytes"
	"context"
	"crypto/rand"
	"net/netip"
	"sync"
	"sync/atomic"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/internal/queue"
)

// ClientConn is a client's end: one WebSocket, or the attempts to get one.
type ClientConn struct {
	dialer   Dialer // with defaults filled in
	server   netip.AddrPort
	local    netip.AddrPort
	arrived  *queue.Queue
	out      *outbox
	repeats  repeats
	received atomic.Bool // a datagram from the server has arrived

	ctx     context.Context // bounds the attempts
	giveUp  context.CancelFunc
	running sync.WaitGroup
	closing sync.Once

	mu     sync.Mutex
	wire   *wire // nil while there is no WebSocket
	closed bool
	broken error
}

var _ transport.Conn = (*ClientConn)(nil)

func (d Dialer) dial(server netip.AddrPort) (transport.Conn, error) {
	c := &ClientConn{
		dialer: d, server: server, local: someAddress(),
		arrived: queue.New(d.Queue), out: newOutbox(dialerBacklog),
	}
	c.ctx, c.giveUp = context.WithCancel(context.Background())
	c.running.Go(c.connectAndRead)
	return c, nil
}

// someAddress makes up an address. The chance that another client has it is one in 2^120.
func someAddress() netip.AddrPort {
	var host [16]byte
	_, _ = rand.Read(host[:]) // never fails
	host[0] = 0xfd
	return netip.AddrPortFrom(netip.AddrFrom16(host), port)
}

// LocalAddr returns a made-up address.
func (c *ClientConn) LocalAddr() netip.AddrPort { return c.local }

// Receive implements transport.Conn. Once the WebSocket has broken, or the server has
// refused it, Receive returns that error after the datagrams that had arrived before.
func (c *ClientConn) Receive(buf []byte) (int, netip.AddrPort, error) {
	n, from, err := c.arrived.Pop(buf)
	if err == nil {
		return n, from, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.broken != nil && !c.closed {
		// The reader fails only after its last datagram is in the queue, so look again.
		if n, from, again := c.arrived.Pop(buf); again == nil {
			return n, from, nil
		}
		return 0, netip.AddrPort{}, c.broken
	}
	return 0, netip.AddrPort{}, err
}

// Send implements transport.Conn. Datagrams that are sent before the WebSocket is open are
// written when it is. Receive reports a broken WebSocket; Send treats it like packet loss.
func (c *ClientConn) Send(batch []transport.Datagram) (int, error) {
	if c.arrived.Closed() {
		return 0, transport.ErrClosed
	}
	sent := 0
	for _, d := range batch {
		if d.Addr != c.server || len(d.Data) == 0 || len(d.Data) > entangle.MaxDatagram {
			continue
		}
		if !c.received.Load() && c.repeats.isRepeat(d.Data, c.isOpen()) || c.out.enqueue(d.Data) {
			sent++
		}
	}
	return sent, nil
}

func (c *ClientConn) isOpen() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.wire != nil
}

// repeats finds the requests that a session repeats ten times a second until they are answered, in
// case of loss. A stream loses nothing, so repeated requests would only use up AdmitBytes.
type repeats struct {
	last  []byte
	count int
}

// maxRepeats is how many repeated requests in a row are dropped while the WebSocket is open. The
// next one is sent, two seconds after the first, since the server may have dropped the first.
const maxRepeats = 19

// isRepeat reports whether data equals a datagram that is in flight already.
func (r *repeats) isRepeat(data []byte, open bool) bool {
	switch {
	case !bytes.Equal(r.last, data):
		r.last, r.count = append(r.last[:0], data...), 0
		return false
	case !open:
		return true // the first one still waits to be written
	}
	r.count++
	return r.count%(maxRepeats+1) != 0
}

// fail records the error that Receive will return at the end.
func (c *ClientConn) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.broken == nil {
		c.broken = err
	}
}

// Close writes the datagrams sent before, as far as the network accepts them at once, and ends the
// WebSocket and the goroutines. It waits for at most half a second, even if the server does not
// answer.
func (c *ClientConn) Close() error {
	c.closing.Do(func() {
		c.arrived.Close()
		c.giveUp()
		c.mu.Lock()
		c.closed = true
		c.out.finish() // first, so that the reader can see why it fails
		if c.wire != nil {
			c.wire.setFinalDeadlines(0, c.dialer.patience.goodbye)
		}
		c.mu.Unlock()
	})
	c.running.Wait()
	return nil
}
