package netcode

import (
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/connection/internal/socket"
	"github.com/entangle-ecs/entangle/internal/core/session"
	"github.com/entangle-ecs/entangle/transport"
)

// server is the server's end: a session and its sockets.
type server struct {
	session *session.Server
	sockets []*socket.Socket
	addrs   []netip.AddrPort
	slots   []slot
	closed  bool
	hints   map[session.Drop]string

	reading  int  // index of the socket that is being read
	advanced bool // all sockets were read in this frame, and the session's time was advanced
}

// slot is the layer's state of a client, in addition to the session's.
type slot struct {
	addr      session.Addr
	out       socket.Outbox // the datagrams of the current frame
	sent      uint64        // bytes since the client was accepted
	connected bool          // Receive has returned the Connected event
}

// Addrs implements connection.Server.
func (s *server) Addrs() []netip.AddrPort { return s.addrs }

// Receive implements connection.Server: it reads one socket after the other, and then
// advances the session's time.
func (s *server) Receive(now time.Time) (connection.Event, error) {
	for {
		if e, ok := s.event(); ok {
			return e, nil
		}
		if s.advanced || s.closed {
			s.reading, s.advanced = 0, false
			return connection.Event{}, connection.ErrEmpty
		}
		if e, ok, err := s.receiveEvent(now); ok || err != nil {
			return e, err
		}
	}
}

// receiveEvent handles one datagram.
func (s *server) receiveEvent(now time.Time) (e connection.Event, ok bool, err error) {
	if s.reading == len(s.sockets) {
		s.session.Advance(now)
		s.advanced = true
		return e, false, nil
	}
	b, from, err := s.sockets[s.reading].Receive()
	if errors.Is(err, transport.ErrEmpty) {
		s.reading++
		return e, false, nil
	}
	if err != nil {
		return e, false, fmt.Errorf("netcode: %w", err)
	}
	at, payload, ok := s.session.HandleDatagram(session.Addr{Link: uint8(s.reading), AddrPort: from}, b, now)
	return connection.Event{Kind: connection.Payload, Slot: at, Payload: payload}, ok, nil
}

// event returns the session's next event. It omits the ends of connections that the game's loop has
// requested.
func (s *server) event() (connection.Event, bool) {
	for e, ok := s.session.PollEvent(); ok; e, ok = s.session.PollEvent() {
		if e.Kind == session.Connected {
			s.connected(&e)
			return connection.Event{
				Kind: connection.Connected, Slot: e.Slot, Client: e.ClientID,
				Addr: e.Addr.AddrPort, Name: e.Addr.AddrPort.String(), UserData: e.UserData,
			}, true
		}
		if s.freeSlot(e.Slot) {
			return connection.Event{Kind: connection.Disconnected, Slot: e.Slot, Err: errorOf(e.Reason)}, true
		}
	}
	return connection.Event{}, false
}

// connected gives the slot to a client. Datagrams for the slot's previous client may still be
// queued.
func (s *server) connected(e *session.Event) {
	c := &s.slots[e.Slot]
	c.out.MoveTo(&s.sockets[c.addr.Link].Out)
	c.addr, c.sent, c.connected = e.Addr, 0, true
	s.sockets[e.Addr.Link].Admit(e.Addr.AddrPort)
}

// freeSlot frees the slot of a client, and reports whether there was one.
func (s *server) freeSlot(at int) bool {
	c := &s.slots[at]
	if !c.connected {
		return false
	}
	c.connected = false
	s.sockets[c.addr.Link].Dismiss(c.addr.AddrPort)
	return true
}

// Send implements connection.Server: it seals the payload into the slot's Outbox, which waits for
// Flush. A client that may not know yet that it is connected gets a keep-alive before the
// payload, because it would drop the payload otherwise.
func (s *server) Send(at int, payload []byte, now time.Time) {
	c := &s.slots[at]
	if s.session.KeepAliveFirst(at) {
		if b, err := s.session.AppendKeepAlive(c.out.Next(), at, now); err == nil {
			c.queueDatagram(b)
		}
	}
	b, err := s.session.AppendPayload(c.out.Next(), at, payload, now)
	switch {
	case err == nil:
		c.queueDatagram(b)
	case errors.Is(err, session.ErrPayloadSize):
		panic(fmt.Sprintf("netcode: a payload of %d bytes; send 1 to %d", len(payload), entangle.MaxPayload))
	default:
		c.out.Free(b)
	}
}

func (c *slot) queueDatagram(b []byte) {
	c.out.Add(c.addr.AddrPort, b)
	c.sent += uint64(len(b))
}

// Flush implements connection.Server.
func (s *server) Flush() error {
	for i := range s.slots {
		if c := &s.slots[i]; c.out.Len() > 0 {
			c.out.MoveTo(&s.sockets[c.addr.Link].Out)
		}
	}
	for to, b, ok := s.session.PollDatagram(); ok; to, b, ok = s.session.PollDatagram() {
		s.sockets[to.Link].Out.Put(to.AddrPort, b)
		if at, ok := s.session.At(to); ok {
			s.slots[at].sent += uint64(len(b))
		}
	}
	var errs []error
	for _, sock := range s.sockets {
		if err := sock.Flush(); err != nil {
			errs = append(errs, fmt.Errorf("netcode: %w", err))
		}
	}
	return errors.Join(errs...)
}

// Leaving implements connection.Leaver.
func (s *server) Leaving(at int) bool { return s.session.Leaving(at) }

// Disconnect implements connection.Server. The standard's disconnect packets carry no
// reason.
func (s *server) Disconnect(at int, _ string, now time.Time) {
	if s.freeSlot(at) {
		s.session.Disconnect(at, now)
	}
}

// Close implements connection.Server.
func (s *server) Close(_ string, now time.Time) error {
	if s.closed {
		return nil
	}
	s.closed = true
	s.session.Stop(now)
	for _, ok := s.event(); ok; _, ok = s.event() {
	}
	err := s.Flush()
	for _, sock := range s.sockets {
		err = errors.Join(err, sock.Close())
	}
	return err
}

// Sent implements connection.Server.
func (s *server) Sent(at int) uint64 { return s.slots[at].sent }

// Overhead implements connection.Server.
func (s *server) Overhead(at int) int {
	if s.session.KeepAliveFirst(at) {
		return sealOverhead + keepAliveBytes
	}
	return sealOverhead
}

// The greatest number of bytes that sealing adds to a payload, and the greatest size of a
// keep-alive.
const (
	sealOverhead   = entangle.MaxDatagram - entangle.MaxPayload
	keepAliveBytes = sealOverhead + 8
)

// Traffic implements connection.Server.
func (s *server) Traffic() (sum connection.Traffic) {
	for _, sock := range s.sockets {
		sum = sum.Plus(sock.Traffic())
	}
	return sum
}

// AppendDropped implements connection.Server.
func (s *server) AppendDropped(dst []connection.Dropped) []connection.Dropped {
	var arriving socket.Drops
	for _, sock := range s.sockets {
		arriving = arriving.Plus(sock.Drops())
	}
	return arriving.AppendTo(appendDropped(dst, s.session.Stats().Drops, s.hints))
}

func appendDropped(dst []connection.Dropped, drops session.Drops, hints map[session.Drop]string) []connection.Dropped {
	for i, n := range drops {
		reason := session.Drop(i)
		dst = append(dst, connection.Dropped{
			Reason: reason.String(), Count: n, Refused: reason >= session.DropRequestForm, Hint: hints[reason],
		})
	}
	return dst
}
