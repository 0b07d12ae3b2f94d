package session

import "time"

// reply is a sealed packet of the handshake that waits for PollDatagram.
type reply struct {
	to    Addr
	size  int
	bytes [maxReply]byte
}

// farewell is an ended connection with disconnect packets to send.
type farewell struct {
	to       Addr
	send     sealer
	sequence uint64
	left     int
}

// replySealed queues a packet to a client that has no slot.
func (s *Server) replySealed(p *pending, k kind, body []byte) {
	r := s.replies.push()
	if r == nil {
		s.drop(DropReplyQueue)
		return
	}
	r.to = p.from
	r.size = len(p.send.seal(r.bytes[:0], k, s.global, body))
	s.global++
}

// replyKeepAlive sends a new client its slot.
func (s *Server) replyKeepAlive(slot int) {
	r := s.replies.push()
	if r == nil {
		s.drop(DropReplyQueue) // the next keep-alive has the same contents
		return
	}
	r.to = s.slots[slot].addr
	r.size = len(s.keepAlive(r.bytes[:0], slot, s.now))
}

// PollDatagram returns the next datagram to send: disconnects, handshake
// replies, keep-alives. b is valid until the next call of any method.
func (s *Server) PollDatagram() (to Addr, b []byte, ok bool) {
	if to, b, ok = s.pollFarewell(); ok {
		return to, b, true
	}
	if r := s.replies.first(); r != nil {
		s.replies.drop()
		return r.to, r.bytes[:r.size], true
	}
	return s.pollKeepAlive()
}

func (s *Server) pollFarewell() (to Addr, b []byte, ok bool) {
	f := s.farewells.first()
	if f == nil {
		return Addr{}, nil, false
	}
	b = f.send.seal(s.out[:0], kindDisconnect, f.sequence, nil)
	f.sequence++
	f.left--
	to = f.to
	if f.left == 0 {
		*f = farewell{} // drops the keys
		s.farewells.drop()
	}
	return to, b, true
}

func (s *Server) pollKeepAlive() (to Addr, b []byte, ok bool) {
	for len(s.due) > 0 {
		slot := int(s.due[len(s.due)-1])
		s.due = s.due[:len(s.due)-1]
		if s.owesKeepAlive(slot) {
			return s.slots[slot].addr, s.keepAlive(s.out[:0], slot, s.now), true
		}
	}
	return Addr{}, nil, false
}

func (s *Server) owesKeepAlive(slot int) bool {
	c := &s.slots[slot]
	return c.state == slotConnected && s.now.Sub(c.lastSent) >= sendInterval
}

func (s *Server) keepAlive(dst []byte, slot int, now time.Time) []byte {
	c := &s.slots[slot]
	body := keepAlive{uint32(slot), uint32(len(s.slots))}.encode(c.body[:])
	return c.seal(dst, kindKeepAlive, body, now)
}
