package session

import "github.com/entangle-ecs/entangle/internal/ring"

// outgoing holds the datagrams that wait for PollDatagram.
type outgoing struct {
	replies   ring.Ring[reply]
	farewells ring.Ring[farewell]
	due       []int32 // slots for which a keep-alive is due
	buffer    [maxReply]byte
}

func newOutgoing(slots int) outgoing {
	return outgoing{replies: ring.New[reply](replyQueue), farewells: ring.New[farewell](2 * slots), due: make([]int32, 0, slots)}
}

// reply is a sealed packet of a handshake.
type reply struct {
	to    Addr
	size  int
	bytes [maxReply]byte
}

// farewell is an ended connection for which disconnect packets remain to be sent.
type farewell struct {
	to       Addr
	send     sealer
	sequence uint64
	left     int
}

// addFarewell queues the disconnect packets of a client, unless the queue is full.
func (o *outgoing) addFarewell(c *slot) {
	if f := o.farewells.PushBack(); f != nil {
		*f = farewell{to: c.addr, send: c.send, sequence: c.sequence, left: redundantDisconnects}
	}
}

// replySealed queues a packet to a client that has no slot.
func (s *Server) replySealed(p *pending, k kind, body []byte) {
	r := s.outgoing.replies.PushBack()
	if r == nil {
		s.countDrop(DropReplyQueue)
		return
	}
	r.to = p.from
	r.size = len(p.link.send.seal(r.bytes[:0], k, s.handshakes.sequence, body))
	s.handshakes.sequence++
}

// replyKeepAlive queues the packet that tells a new client its slot.
func (s *Server) replyKeepAlive(slot int) {
	r := s.outgoing.replies.PushBack()
	if r == nil {
		s.countDrop(DropReplyQueue) // the next keep-alive has the same contents
		return
	}
	r.to = s.slots[slot].addr
	r.size = len(s.appendKeepAlive(r.bytes[:0], slot, s.clock.now))
}

// PollDatagram returns the next datagram to send: a disconnect packet, handshake reply or
// keep-alive. b is valid until the next call of any method.
func (s *Server) PollDatagram() (to Addr, b []byte, ok bool) {
	if to, b, ok = s.outgoing.pollFarewell(); ok {
		return to, b, true
	}
	if r := s.outgoing.replies.First(); r != nil {
		s.outgoing.replies.RemoveFirst()
		return r.to, r.bytes[:r.size], true
	}
	return s.pollKeepAlive()
}

func (o *outgoing) pollFarewell() (to Addr, b []byte, ok bool) {
	f := o.farewells.First()
	if f == nil {
		return Addr{}, nil, false
	}
	b = f.send.seal(o.buffer[:0], kindDisconnect, f.sequence, nil)
	f.sequence++
	f.left--
	to = f.to
	if f.left == 0 {
		*f = farewell{} // drops the keys
		o.farewells.RemoveFirst()
	}
	return to, b, true
}

func (s *Server) pollKeepAlive() (to Addr, b []byte, ok bool) {
	o := &s.outgoing
	for len(o.due) > 0 {
		slot := int(o.due[len(o.due)-1])
		o.due = o.due[:len(o.due)-1]
		if s.keepAliveDue(slot, s.clock.now) {
			return s.slots[slot].addr, s.appendKeepAlive(o.buffer[:0], slot, s.clock.now), true
		}
	}
	return Addr{}, nil, false
}
