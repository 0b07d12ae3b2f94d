package session

import "time"

// Disconnect ends the connection of a slot and queues ten disconnect packets for PollDatagram. A leaving client has sent one
// itself and gets none. A slot without a client is ignored.
func (s *Server) Disconnect(slot int, now time.Time) {
	s.setNow(now)
	switch {
	case s.Connected(slot):
		s.endAndNotify(slot, ReasonDisconnected)
	case s.Leaving(slot):
		s.end(slot, ReasonPeerLeft)
	}
}

// Stop disconnects all clients and ignores all later datagrams. Poll the events and the last datagrams, and close the
// sockets.
func (s *Server) Stop(now time.Time) {
	s.setNow(now)
	s.endLeaving(func(*slot) bool { return true })
	for i := range s.slots {
		if s.Connected(i) {
			s.endAndNotify(i, ReasonStopped)
		}
	}
	s.stopped = true
}

// endAndNotify ends a connection and queues its disconnect packets.
func (s *Server) endAndNotify(slot int, reason Reason) {
	c := &s.slots[slot]
	if f := s.farewells.push(); f != nil {
		*f = farewell{to: c.addr, send: c.send, sequence: c.sequence, left: redundantDisconnects}
	}
	s.end(slot, reason)
}

// end frees the slot of a client. It can be reused once the driver has polled the event, and so dropped its own state of the
// slot.
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
