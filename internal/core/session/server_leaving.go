package session

// A client that has sent a disconnect packet is leaving: it is not connected any more, but payloads that it sent before are
// read for GoodbyeWait. It blocks no other client: its session ends at once when its address, its id or its slot is needed.

// endLeaving ends the sessions of leaving clients for which the condition holds.
func (s *Server) endLeaving(condition func(*slot) bool) {
	for i := 0; i < len(s.slots) && s.leaving > 0; i++ {
		if c := &s.slots[i]; c.state == slotLeaving && condition(c) {
			s.endSession(i, ReasonPeerLeft)
		}
	}
}

// endLongestLeaving ends the session that has been leaving for longest, and reports whether there was one. Its slot is free
// once the driver has polled the event.
func (s *Server) endLongestLeaving() bool {
	slot, ok := s.longestLeaving()
	if ok {
		s.endSession(slot, ReasonPeerLeft)
	}
	return ok
}
