package session

import "time"

// Disconnect ends the connection of a slot and tells the client so, ten times
// over, by PollDatagram. A slot that is not connected is left alone.
func (s *Server) Disconnect(slot int, now time.Time) {
	s.setNow(now)
	if s.Connected(slot) {
		s.endAndTell(slot, ReasonDisconnected)
	}
}

// Stop disconnects everyone and ignores all datagrams from then on. Poll the
// events and the last datagrams, and let the sockets go.
func (s *Server) Stop(now time.Time) {
	s.setNow(now)
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
	c.state = slotLeft
	c.send, c.receive = sealer{}, sealer{}
	delete(s.byAddr, c.addr)
	delete(s.byClient, c.client)
	s.clients--
	s.stats.Disconnects++
	s.event(Event{Kind: Disconnected, Slot: slot, Reason: reason})
}
