package socket

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/transport"
)

// maxReads bounds the datagrams that are read from one socket in a frame, so that a flood
// cannot block the tick; the rest waits in the socket's queue.
const maxReads = 1 << 14

// Socket is one open Conn.
type Socket struct {
	// Out holds the datagrams that the next Flush sends.
	Out Outbox

	conn    transport.Conn
	buf     []byte
	reads   int              // in the current frame
	leaving []netip.AddrPort // former clients of which the Conn has not been told yet
	traffic connection.Traffic
}

// New takes ownership of a Conn.
func New(conn transport.Conn) *Socket {
	return &Socket{conn: conn, buf: make([]byte, MaxDatagram)}
}

// NewServer takes ownership of the Conn of a server. If the Conn is a transport.Filterer, it drops
// the datagrams that the filter refuses when they arrive.
func NewServer(conn transport.Conn, filter transport.Filter) *Socket {
	if conn, ok := conn.(transport.Filterer); ok {
		conn.SetFilter(filter)
	}
	return New(conn)
}

// Addr returns the address of the Conn.
func (s *Socket) Addr() netip.AddrPort { return s.conn.LocalAddr() }

// Traffic returns the datagrams and bytes of the socket.
func (s *Socket) Traffic() connection.Traffic { return s.traffic }

// Drops counts the datagrams that a Conn of a server dropped on arrival.
type Drops transport.Drops

// Drops returns the counters of the Conn, or zeros if it has none.
func (s *Socket) Drops() (d Drops) {
	if conn, ok := s.conn.(transport.Filterer); ok {
		d = Drops(conn.Drops())
	}
	return d
}

// Plus returns the sum of two counts.
func (d Drops) Plus(e Drops) Drops {
	return Drops{d.Form + e.Form, d.Strange + e.Strange, d.StrangersFull + e.StrangersFull, d.ClientFull + e.ClientFull}
}

// AppendTo appends the counts by reason.
func (d Drops) AppendTo(dst []connection.Dropped) []connection.Dropped {
	return append(dst,
		connection.Dropped{Reason: "bad form", Count: d.Form},
		connection.Dropped{Reason: "no connection", Count: d.Strange},
		connection.Dropped{Reason: "queue of strangers full", Count: d.StrangersFull},
		connection.Dropped{Reason: "queue of client full", Count: d.ClientFull})
}

// Receive returns the next datagram, valid until the next call, or transport.ErrEmpty at the
// end of the frame.
func (s *Socket) Receive() (b []byte, from netip.AddrPort, err error) {
	if s.reads++; s.reads > maxReads {
		s.reads = 0
		return nil, from, transport.ErrEmpty
	}
	n, from, err := s.conn.Receive(s.buf)
	if err != nil {
		s.reads = 0
		return nil, from, s.broken(err)
	}
	s.traffic.In(n)
	return s.buf[:n], from, nil
}

func (s *Socket) broken(err error) error {
	if err == nil || errors.Is(err, transport.ErrEmpty) {
		return err
	}
	return fmt.Errorf("the socket at %v is broken: %w", s.conn.LocalAddr(), err)
}

// Flush sends the queued datagrams. Those that the network does not accept are lost. An
// error means that the socket is broken or closed.
func (s *Socket) Flush() error {
	err := s.sendBatch()
	s.dismiss()
	return err
}

func (s *Socket) sendBatch() error {
	o := &s.Out
	if len(o.batch) == 0 {
		return nil
	}
	_, err := s.conn.Send(o.batch)
	for i := range o.batch {
		s.traffic.Out(len(o.batch[i].Data))
		o.free = append(o.free, o.batch[i].Data[:0])
		o.batch[i] = transport.Datagram{}
	}
	o.batch = o.batch[:0]
	return s.broken(err)
}

// Admit reports to the Conn that a client is at this address, if the Conn is a transport.Admitter.
// If a client reconnects from an address of which the dismissal is still pending, neither is
// reported.
func (s *Socket) Admit(addr netip.AddrPort) {
	if i := slices.Index(s.leaving, addr); i >= 0 {
		s.leaving = slices.Delete(s.leaving, i, i+1)
		return
	}
	if conn, ok := s.conn.(transport.Admitter); ok {
		conn.Admit(addr)
	}
}

// Dismiss reports to the Conn that a client has left, once the last datagrams for it are sent.
func (s *Socket) Dismiss(addr netip.AddrPort) { s.leaving = append(s.leaving, addr) }

func (s *Socket) dismiss() {
	if conn, ok := s.conn.(transport.Admitter); ok {
		for _, addr := range s.leaving {
			conn.Dismiss(addr)
		}
	}
	s.leaving = s.leaving[:0]
}

// Local reports whether only this machine can reach the socket.
func (s *Socket) Local() bool {
	if conn, ok := s.conn.(transport.Local); ok && conn.Local() {
		return true
	}
	return s.conn.LocalAddr().Addr().IsLoopback()
}

// Close closes the Conn. Queued datagrams that were not flushed are lost.
func (s *Socket) Close() error { return s.conn.Close() }
