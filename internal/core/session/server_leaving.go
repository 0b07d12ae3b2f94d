package session

// A client that has sent a disconnect packet is leaving: it is not connected any more, but payloads that it sent before are
// read for GoodbyeWait. It blocks no other client: its session ends at once when its address, its id or its slot is needed.

// Leaving reports whether the client of a slot has sent a disconnect packet and its session
// has not ended yet.
func (s *Server) Leaving(slot int) bool {
	return slot >= 0 && slot < len(s.slots) && s.slots[slot].state == slotLeaving
}

// leave handles a disconnect packet.
func (s *Server) leave(slot int) {
	c := &s.slots[slot]
	if c.state == slotLeaving {
		return
	}
	c.state, c.left = slotLeaving, s.now
	delete(s.byClient, c.client)
	s.clients--
	s.leaving++
}

// endLeaving ends the sessions of leaving clients for which the condition holds.
func (s *Server) endLeaving(condition func(*slot) bool) {
	for i := 0; i < len(s.slots) && s.leaving > 0; i++ {
		if c := &s.slots[i]; c.state == slotLeaving && condition(c) {
			s.end(i, ReasonPeerLeft)
		}
	}
}

// freeLeaving ends the session that has been leaving for longest, and reports whether there was one. Its slot is free once
// the driver has polled the event.
func (s *Server) freeLeaving() bool {
	oldest := -1
	for i := 0; i < len(s.slots) && s.leaving > 0; i++ {
		if s.Leaving(i) && (oldest < 0 || s.slots[i].left.Before(s.slots[oldest].left)) {
			oldest = i
		}
	}
	if oldest < 0 {
		return false
	}
	s.end(oldest, ReasonPeerLeft)
	return true
}
