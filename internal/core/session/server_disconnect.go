package session

import "time"

// Disconnect ends the connection of a slot and tells the client so, ten times
// over, by PollDatagram. A client that is leaving has said so itself: its slot just ends.
// Other slots are left alone.
func (s *Server) Disconnect(slot int, now time.Time) {
	s.setNow(now)
	switch {
	case s.Connected(slot):
		s.endAndTell(slot, ReasonDisconnected)
	case s.Leaving(slot):
		s.end(slot, ReasonPeerLeft)
	}
}

// Stop disconnects everyone and ignores all datagrams from then on. Poll the
// events and the last datagrams, and let the sockets go.
func (s *Server) Stop(now time.Time) {
	s.setNow(now)
	s.endLeaving(func(*slot) bool { return true })
	for i := range s.slots {
		if s.Connected(i) {
			s.endAndTell(i, ReasonStopped)
		}
	}
	s.stopped = true
}

// endAndTell ends a connection and queues its disconnect packets.
func (s *Server) endAndTell(slot int, reason Reason) {
	c := &s.slots[slot]
	if f := s.farewells.push(); f != nil {
		*f = farewell{to: c.addr, send: c.send, sequence: c.sequence, left: redundantDisconnects}
	}
	s.end(slot, reason)
}

// end takes the slot from its client. It can be given again once the driver has
// polled the event, and so let go of what it kept for the slot.
func (s *Server) end(slot int, reason Reason) {
	c := &s.slots[slot]
	if c.state == slotLeaving {
		s.leaving--
	} else {
		delete(s.byClient, c.client)
		s.clients--
	}
	c.state = slotLeft
	c.send, c.receive = sealer{}, sealer{}
	delete(s.byAddr, c.addr)
	s.stats.Disconnects++
	s.event(Event{Kind: Disconnected, Slot: slot, Reason: reason})
}
