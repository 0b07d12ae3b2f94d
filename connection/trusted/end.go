package trusted

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/connection/internal/socket"
	"github.com/entangle-ecs/entangle/transport"
)

const (
	defaultTimeout = 5 * time.Second
	sendInterval   = 100 * time.Millisecond // of hellos and keep-alives
	goodbyes       = 10                     // copies: at 50 % loss, all are lost once in 1,000 disconnects
	maxRefusals    = 64                     // in a frame, so that a flood of hellos costs no memory
)

// end is either end of the layer: a connection.Server, or the end of a client, with one slot.
type end struct {
	*socket.Socket
	protocolID uint64
	hello      []byte                    // the body of a client's hello; nil at a server
	byClient   map[entangle.ClientID]int // the slots of a server that have or had a client
	slots      []slot
	timeout    time.Duration
	now        time.Time        // of the last frame
	read       bool             // all datagrams of this frame have been read
	next       connection.Event // the event after the one that was returned, if there is one
	dropped    [none]uint64
}

// slot is one connection. After its end the slot keeps its number and its client, so that a late
// hello does not connect the client again.
type slot struct {
	state        state
	client       entangle.ClientID
	number       uint64         // chosen by the client at random, and part of every datagram
	addr         netip.AddrPort // of the peer
	sequence     uint64         // of the last datagram sent
	received     window
	lastReceived time.Time
	lastSent     time.Time
	out          socket.Outbox // the datagrams of the current frame
	bytes        uint64        // sent since the connection began
}

type state uint8

const (
	idle state = iota
	connecting
	connected
)

// Addrs implements connection.Server.
func (s *end) Addrs() []netip.AddrPort { return []netip.AddrPort{s.Addr()} }

// Receive implements connection.Server and connection.Client.
func (s *end) Receive(now time.Time) (e connection.Event, err error) {
	s.now = now
	if e, s.next = s.next, e; e.Kind != 0 {
		return e, nil
	}
	for !s.read {
		b, from, err := s.Socket.Receive()
		if s.read = errors.Is(err, transport.ErrEmpty); s.read {
			break
		}
		if err != nil {
			return e, fmt.Errorf("trusted: %w", err)
		}
		if e = s.handle(from, b); e.Kind != 0 {
			return e, nil
		}
	}
	for at := range s.slots {
		if c := &s.slots[at]; c.state != idle && s.timeout >= 0 && now.Sub(c.lastReceived) >= s.timeout {
			e = connection.Event{Kind: connection.Disconnected, Slot: at, Err: connection.ErrTimedOut}
			if c.state == connecting {
				e.Err = fmt.Errorf("%w: no server listens there, or the network blocks it", connection.ErrNoAnswer)
			}
			s.Disconnect(at, connection.ErrTimedOut.Error(), now)
			return e, nil
		}
	}
	s.read = false
	return connection.Event{}, connection.ErrEmpty
}

// handle handles one datagram.
func (s *end) handle(from netip.AddrPort, b []byte) (e connection.Event) {
	d := unmatched
	switch {
	case !wellFormed(b):
	case kind(b[0]) != kindHello:
		e, d = s.handleConnected(from, b)
	case s.hello == nil:
		if e, d = s.admit(from, b); d < unmatched && s.Out.Len() < maxRefusals {
			s.Out.Add(from, appendDatagram(s.Out.Next(), kindGoodbye, clientOf(b), numberOf(b), 1, []byte(refusals[d].Error())))
		}
	}
	if d < none {
		s.dropped[d]++
	}
	return e
}

// admit handles a hello: it connects a new client.
func (s *end) admit(from netip.AddrPort, b []byte) (e connection.Event, d drop) {
	client, body := clientOf(b), b[headSize:]
	at, known := s.byClient[client]
	for !known && at < len(s.slots) && s.slots[at].state != idle {
		at++
	}
	switch {
	case client == entangle.Nobody:
		return e, unmatched
	case binary.LittleEndian.Uint64(body) != s.protocolID:
		return e, otherGame
	case at == len(s.slots):
		return e, full
	case known && s.slots[at].number == numberOf(b): // a repeated hello, or a late one
		s.slots[at].lastSent = time.Time{} // if it is connected, the next Flush sends something
		return e, none
	case s.slots[at].state != idle:
		return e, taken
	case s.slots[at].out.Len() > 0:
		return e, none // the last client's goodbyes are sent first, and another hello follows
	}
	delete(s.byClient, s.slots[at].client)
	if !s.hasClientAt(from) {
		s.Admit(from)
	}
	s.slots[at] = slot{state: connected, client: client, number: numberOf(b), addr: from, lastReceived: s.now, out: s.slots[at].out}
	s.byClient[client] = at
	return connection.Event{
		Kind: connection.Connected, Slot: at, Client: client, Addr: from, Name: from.String(), UserData: body[8:],
	}, none
}

// handleConnected handles a datagram of a connection.
func (s *end) handleConnected(from netip.AddrPort, b []byte) (e connection.Event, d drop) {
	at := s.byClient[clientOf(b)] // 0 at a client
	c := &s.slots[at]
	if c.state == idle || c.client != clientOf(b) || c.number != numberOf(b) || s.hello == nil && c.addr != from || !c.received.mark(sequenceOf(b)) {
		return e, unmatched
	}
	c.lastReceived, e.Slot = s.now, at
	switch body := b[headSize:]; kind(b[0]) {
	case kindPayload:
		e.Kind, e.Payload = connection.Payload, body
	case kindGoodbye:
		e.Kind, e.Err = connection.Disconnected, errorOf(body, s.hello != nil)
		s.free(at)
	}
	if c.state == connecting { // anything but a goodbye answers the hello
		c.state, s.next = connected, e
		e = connection.Event{Kind: connection.Connected}
	}
	return e, none
}

// queue queues a datagram for the next Flush.
func (c *slot) queue(k kind, body []byte, now time.Time) {
	c.sequence, c.lastSent = c.sequence+1, now
	b := appendDatagram(c.out.Next(), k, c.client, c.number, c.sequence, body)
	c.out.Add(c.addr, b)
	c.bytes += uint64(len(b))
}

// Send implements connection.Server.
func (s *end) Send(at int, payload []byte, now time.Time) {
	if len(payload) < 1 || len(payload) > entangle.MaxPayload {
		panic(fmt.Sprintf("trusted: a payload of %d bytes; send 1 to %d", len(payload), entangle.MaxPayload))
	}
	if s.slots[at].state == connected {
		s.slots[at].queue(kindPayload, payload, now)
	}
}

// Flush implements connection.Server and connection.Client.
func (s *end) Flush() error {
	for at := range s.slots {
		c := &s.slots[at]
		switch due := s.now.Sub(c.lastSent) >= sendInterval; {
		case due && c.state == connecting:
			c.queue(kindHello, s.hello, s.now)
		case due && c.state == connected:
			c.queue(kindKeepAlive, nil, s.now)
		}
		c.out.MoveTo(&s.Out)
	}
	return s.Socket.Flush()
}

// Disconnect implements connection.Server. It sends the reason to the peer, also to a server that
// has not answered: it may have accepted the client.
func (s *end) Disconnect(at int, reason string, now time.Time) {
	if s.slots[at].state != idle {
		for range goodbyes {
			s.slots[at].queue(kindGoodbye, []byte(reason)[:min(len(reason), maxReason)], now)
		}
		s.free(at)
	}
}

// free frees a slot.
func (s *end) free(at int) {
	s.slots[at].state = idle
	if addr := s.slots[at].addr; s.hello == nil && !s.hasClientAt(addr) {
		s.Dismiss(addr)
	}
}

// hasClientAt reports whether a client is connected from an address. There can be several: a hello may be
// forged.
func (s *end) hasClientAt(addr netip.AddrPort) bool {
	return slices.ContainsFunc(s.slots, func(c slot) bool { return c.state != idle && c.addr == addr })
}

// Close implements connection.Server and connection.Client.
func (s *end) Close(reason string, now time.Time) error {
	for at := range s.slots {
		s.Disconnect(at, reason, now)
	}
	return errors.Join(s.Flush(), s.Socket.Close())
}

// Sent implements connection.Server.
func (s *end) Sent(at int) uint64 { return s.slots[at].bytes }

// Overhead implements connection.Server.
func (s *end) Overhead(int) int { return headSize }

// AppendDropped implements connection.Server and connection.Client.
func (s *end) AppendDropped(dst []connection.Dropped) []connection.Dropped {
	for i, err := range refusals {
		dst = append(dst, connection.Dropped{Reason: err.Error(), Count: s.dropped[i], Refused: true})
	}
	dst = append(dst, connection.Dropped{Reason: "bad form, no connection, or repeated", Count: s.dropped[unmatched]})
	if s.hello == nil {
		dst = s.Drops().AppendTo(dst)
	}
	return dst
}
