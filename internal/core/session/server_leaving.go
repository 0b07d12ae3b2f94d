package session

// A client that has sent a disconnect packet is leaving: it is not connected any more, but payloads
// that it sent earlier are read for GoodbyeWait. It does not block other clients: if its address,
// its id or its slot is needed, its session ends at once.

// endLeaving ends the sessions of leaving clients for which the condition holds.
func (s *Server) endLeaving(condition func(*slot) bool) {
	for i := 0; i < len(s.slots) && s.leaving > 0; i++ {
		if c := &s.slots[i]; c.state == slotLeaving && condition(c) {
			s.endSession(i, ReasonPeerLeft)
		}
	}
}

// endLongestLeaving ends the session that has been leaving for the longest time. It returns false
// if there is none. The slot is free after the driver has polled the event.
func (s *Server) endLongestLeaving() bool {
	slot, ok := s.longestLeaving()
	if ok {
		s.endSession(slot, ReasonPeerLeft)
	}
	return ok
}
