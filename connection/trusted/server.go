package trusted

import (
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/connection/internal/socket"
	"github.com/entangle-ecs/entangle/internal/core/plain"
	"github.com/entangle-ecs/entangle/transport"
)

// server is the server's end: a core and its socket.
type server struct {
	core   *plain.Server
	socket *socket.Socket
	slots  []slot
	read   bool // all datagrams of this frame have been read
	now    time.Time
	closed bool
}

// slot is the layer's state of a client, in addition to the core's.
type slot struct {
	out  socket.Outbox // the datagrams of the current frame
	sent uint64        // bytes since the client was accepted
}

// Addrs implements connection.Server.
func (s *server) Addrs() []netip.AddrPort { return []netip.AddrPort{s.socket.Addr()} }

// Receive implements connection.Server.
func (s *server) Receive(now time.Time) (connection.Event, error) {
	s.now = now
	for !s.read && !s.closed {
		if e, ok, err := s.handleDatagram(now); ok || err != nil {
			return e, err
		}
	}
	if e, ok := s.core.Expire(now); ok {
		s.endConnection(e.Slot, e.Err.Error())
		return e, nil
	}
	s.read = false
	return connection.Event{}, connection.ErrEmpty
}

// handleDatagram handles one datagram.
func (s *server) handleDatagram(now time.Time) (e connection.Event, ok bool, err error) {
	b, from, err := s.socket.Receive()
	if errors.Is(err, transport.ErrEmpty) {
		s.read = true
		return e, false, nil
	}
	if err != nil {
		return e, false, fmt.Errorf("trusted: %w", err)
	}
	e, ok, reply := s.core.HandleDatagram(from, b, now)
	if len(reply) > 0 {
		s.socket.Out.Put(from, reply)
	}
	switch e.Kind {
	case connection.Connected:
		s.slots[e.Slot].sent = uint64(len(reply))
		s.socket.Admit(from)
	case connection.Disconnected:
		s.socket.Dismiss(from)
	}
	return e, ok, nil
}

// Send implements connection.Server.
func (s *server) Send(at int, payload []byte, now time.Time) {
	if len(payload) < 1 || len(payload) > entangle.MaxPayload {
		panic(fmt.Sprintf("trusted: a payload of %d bytes; send 1 to %d", len(payload), entangle.MaxPayload))
	}
	if !s.core.Connected(at) {
		return
	}
	out := &s.slots[at].out
	if s.core.Unconfirmed(at) {
		s.queueDatagram(at, s.core.AppendKeepAlive(out.Next(), at, now))
	}
	s.queueDatagram(at, s.core.AppendPayload(out.Next(), at, payload, now))
}

// queueDatagram queues a datagram that was built in a buffer of the slot.
func (s *server) queueDatagram(at int, b []byte) {
	c := &s.slots[at]
	c.out.Add(s.core.Addr(at), b)
	c.sent += uint64(len(b))
}

// Flush implements connection.Server.
func (s *server) Flush() error {
	for at := range s.slots {
		out := &s.slots[at].out
		if s.core.Due(at, s.now) {
			s.queueDatagram(at, s.core.AppendKeepAlive(out.Next(), at, s.now))
		}
		if out.Len() > 0 {
			out.MoveTo(&s.socket.Out)
		}
	}
	if err := s.socket.Flush(); err != nil {
		return fmt.Errorf("trusted: %w", err)
	}
	return nil
}

// Disconnect implements connection.Server. It sends the reason to the client.
func (s *server) Disconnect(at int, reason string, _ time.Time) { s.endConnection(at, reason) }

// endConnection sends disconnect packets to a client and frees its slot.
func (s *server) endConnection(at int, reason string) {
	if !s.core.Connected(at) {
		return
	}
	for range plain.Goodbyes {
		s.queueDatagram(at, s.core.AppendGoodbye(s.slots[at].out.Next(), at, reason))
	}
	s.socket.Dismiss(s.core.Addr(at))
	s.core.End(at)
}

// Close implements connection.Server.
func (s *server) Close(reason string, _ time.Time) error {
	if s.closed {
		return nil
	}
	s.closed = true
	for at := range s.slots {
		s.endConnection(at, reason)
	}
	return errors.Join(s.Flush(), s.socket.Close())
}

// Sent implements connection.Server.
func (s *server) Sent(at int) uint64 { return s.slots[at].sent }

// Overhead implements connection.Server.
func (s *server) Overhead(at int) int {
	if s.core.Unconfirmed(at) {
		return plain.Overhead + plain.AliveSize
	}
	return plain.Overhead
}

// Traffic implements connection.Server.
func (s *server) Traffic() connection.Traffic { return s.socket.Traffic() }

// AppendDropped implements connection.Server.
func (s *server) AppendDropped(dst []connection.Dropped) []connection.Dropped {
	return s.socket.Drops().AppendTo(s.core.AppendDropped(dst))
}
