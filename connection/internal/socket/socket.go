package socket

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/transport"
)

// maxReads bounds the datagrams that one socket is read for in a frame, so that a
// flood can't hold up the tick for ever; the rest waits in the socket's queue.
const maxReads = 1 << 14

// Socket is one open Conn.
type Socket struct {
	// Out is what leaves with the next Flush.
	Out Outbox

	conn    transport.Conn
	buf     []byte
	reads   int              // in the frame under way
	left    []netip.AddrPort // clients that are gone, of which the Conn is to be told
	traffic connection.Traffic
}

// New takes a Conn over.
func New(conn transport.Conn) *Socket {
	return &Socket{conn: conn, buf: make([]byte, MaxDatagram)}
}

// NewServer takes the Conn of a server over, and has what does not pass the filter
// dropped on arrival, if the Conn can.
func NewServer(conn transport.Conn, filter transport.Filter) *Socket {
	if conn, ok := conn.(transport.Filterer); ok {
		conn.SetFilter(filter)
	}
	return New(conn)
}

// Addr is that of the Conn.
func (s *Socket) Addr() netip.AddrPort { return s.conn.LocalAddr() }

// Traffic counts what went through the socket.
func (s *Socket) Traffic() connection.Traffic { return s.traffic }

// Drops counts what a Conn of a server dropped on arrival.
type Drops transport.Drops

// Drops is what the Conn counts, if it does.
func (s *Socket) Drops() (d Drops) {
	if conn, ok := s.conn.(transport.Filterer); ok {
		d = Drops(conn.Drops())
	}
	return d
}

// Plus returns the sum of both.
func (d Drops) Plus(e Drops) Drops {
	return Drops{d.Form + e.Form, d.StrangersFull + e.StrangersFull, d.ClientFull + e.ClientFull}
}

// AppendTo appends the counts by reason.
func (d Drops) AppendTo(dst []connection.Dropped) []connection.Dropped {
	return append(dst,
		connection.Dropped{Reason: "bad form", Count: d.Form},
		connection.Dropped{Reason: "queue of strangers full", Count: d.StrangersFull},
		connection.Dropped{Reason: "queue of client full", Count: d.ClientFull})
}

// Receive returns the next datagram, valid until the next one, or transport.ErrEmpty at
// the end of the frame.
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

// Flush sends what is queued. What the network does not take is lost, as datagrams are;
// an error means that the socket is broken or closed.
func (s *Socket) Flush() error {
	err := s.send()
	s.dismiss()
	return err
}

func (s *Socket) send() error {
	o := &s.Out
	if len(o.batch) == 0 {
		return nil
	}
	_, err := s.conn.Send(o.batch)
	for i := range o.batch {
		s.traffic.Out(len(o.batch[i].Data))
		o.spare = append(o.spare, o.batch[i].Data[:0])
		o.batch[i] = transport.Datagram{}
	}
	o.batch = o.batch[:0]
	return s.broken(err)
}

// Admit tells the Conn that a client is at this address, if it wants to know. One that is
// back before the Conn was told that it went has never gone.
func (s *Socket) Admit(addr netip.AddrPort) {
	if i := slices.Index(s.left, addr); i >= 0 {
		s.left = slices.Delete(s.left, i, i+1)
		return
	}
	if conn, ok := s.conn.(transport.Admitter); ok {
		conn.Admit(addr)
	}
}

// Dismiss has the Conn told that a client is gone, once all is sent that was for it.
func (s *Socket) Dismiss(addr netip.AddrPort) { s.left = append(s.left, addr) }

func (s *Socket) dismiss() {
	if conn, ok := s.conn.(transport.Admitter); ok {
		for _, addr := range s.left {
			conn.Dismiss(addr)
		}
	}
	s.left = s.left[:0]
}

// Local reports whether strangers can't reach the socket.
func (s *Socket) Local() bool {
	if conn, ok := s.conn.(transport.Local); ok && conn.Local() {
		return true
	}
	return s.conn.LocalAddr().Addr().IsLoopback()
}

// Close frees the Conn. What is queued and was not flushed is lost.
func (s *Socket) Close() error { return s.conn.Close() }
