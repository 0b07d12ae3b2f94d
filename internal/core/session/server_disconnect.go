package session

import "time"

// Disconnect ends the connection of a slot and queues ten disconnect packets for PollDatagram. A
// leaving client gets none, because it has sent one itself. A slot without a client is ignored.
func (s *Server) Disconnect(slot int, now time.Time) {
	s.clock.setNow(now)
	switch {
	case s.Connected(slot):
		s.endAndNotify(slot, ReasonDisconnected)
	case s.Leaving(slot):
		s.endSession(slot, ReasonPeerLeft)
	}
}

// Stop disconnects all clients and makes the server ignore all later datagrams. Afterwards poll the
// events and the last datagrams, and close the sockets.
func (s *Server) Stop(now time.Time) {
	s.clock.setNow(now)
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
	s.outgoing.addFarewell(&s.slots[slot])
	s.endSession(slot, reason)
}

// endSession ends the session of a client and frees its slot. The slot can be reused after the
// Disconnected event was polled, because then the driver has dropped its own state of the slot.
func (s *Server) endSession(slot int, reason Reason) {
	s.vacate(slot)
	s.stats.Disconnects++
	s.addEvent(Event{Kind: Disconnected, Slot: slot, Reason: reason})
}
