package udp

import (
	"errors"
	"net"
	"net/netip"
	"sync"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/internal/address"
	"github.com/entangle-ecs/entangle/transport/internal/queue"
)

// Conn is an open socket: a server's, which exchanges datagrams with any address, or a
// client's, which exchanges them with its server only.
type Conn struct {
	socket  *net.UDPConn
	local   netip.AddrPort
	server  netip.AddrPort // the only peer of a client's socket; not valid at a server's
	arrived *queue.Intake
	sender  sender
	reader  sync.WaitGroup
	closing sync.Once
	closed  chan struct{}
	count   counters
}

var (
	_ transport.Conn     = (*Conn)(nil)
	_ transport.Admitter = (*Conn)(nil)
	_ transport.Filterer = (*Conn)(nil)
)

// newConn takes ownership of the socket and starts the goroutine that reads it.
func newConn(socket *net.UDPConn, server netip.AddrPort, o options) *Conn {
	// The kernel may grant less; a smaller buffer is no reason to fail.
	if o.readBuffer > 0 {
		setReadBuffer(socket, o.readBuffer)
	}
	if o.writeBuffer > 0 {
		_ = socket.SetWriteBuffer(o.writeBuffer)
	}
	c := &Conn{
		socket:  socket,
		local:   address.Unmap(socket.LocalAddr().(*net.UDPAddr).AddrPort()),
		server:  server,
		arrived: queue.NewIntake(o.waiting),
		closed:  make(chan struct{}),
	}
	c.sender.init(socket, server.IsValid())
	c.reader.Go(c.readSocket)
	return c
}

// LocalAddr returns the address that the socket is bound to: for a client, an address of the
// interface that leads to its server.
func (c *Conn) LocalAddr() netip.AddrPort { return c.local }

// Receive implements transport.Conn: it returns datagrams that the reading goroutine has queued.
func (c *Conn) Receive(buf []byte) (int, netip.AddrPort, error) { return c.arrived.Pop(buf) }

// Admit implements transport.Admitter: it reserves room in the queue for datagrams from
// this address.
func (c *Conn) Admit(addr netip.AddrPort) { c.arrived.Admit(address.Unmap(addr)) }

// Dismiss implements transport.Admitter.
func (c *Conn) Dismiss(addr netip.AddrPort) { c.arrived.Dismiss(address.Unmap(addr)) }

// SetFilter implements transport.Filterer.
func (c *Conn) SetFilter(filter transport.Filter) { c.arrived.SetFilter(filter) }

// Drops implements transport.Filterer.
func (c *Conn) Drops() transport.Drops {
	q := c.arrived.Stats()
	return transport.Drops{Form: q.Form, Strange: q.Strange, StrangersFull: q.StrangersFull, ClientFull: q.ClientFull}
}

// Send implements transport.Conn. A datagram counts as sent when the kernel has accepted
// it. If the kernel's buffer is full, the rest of the batch is lost: at once on Linux,
// elsewhere after at most sendPatience for the whole batch.
func (c *Conn) Send(batch []transport.Datagram) (int, error) {
	if c.arrived.Closed() {
		return 0, transport.ErrClosed
	}
	r := c.sender.sendBatch(c, batch)
	c.count.sent.Add(uint64(r.sent))
	c.count.sentBytes.Add(uint64(r.bytes))
	c.count.sendCalls.Add(uint64(r.calls))
	if errors.Is(r.err, net.ErrClosed) {
		return r.sent, transport.ErrClosed
	}
	c.count.bufferFull.Add(uint64(r.full))
	c.count.unsendable.Add(uint64(len(batch) - r.sent - r.full))
	return r.sent, nil
}

// sendResult counts the outcome of one batch. err is set only for a closed socket.
type sendResult struct {
	sent, full, bytes, calls int
	err                      error
}

// carries reports whether size and address of d are allowed for this socket.
func (c *Conn) carries(d *transport.Datagram) bool {
	switch {
	case len(d.Data) == 0 || len(d.Data) > entangle.MaxDatagram:
		return false
	case c.server.IsValid():
		return d.Addr == c.server
	default:
		return d.Addr.IsValid() && d.Addr.Port() != 0
	}
}

// Close frees the port and ends the goroutine before it returns. Waiting datagrams are
// dropped.
func (c *Conn) Close() error {
	var err error
	c.closing.Do(func() {
		c.arrived.Close()
		close(c.closed)
		err = c.socket.Close()
	})
	c.reader.Wait()
	return err
}
