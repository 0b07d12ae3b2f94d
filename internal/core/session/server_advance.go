package session

import "time"

// Advance ends connections that have timed out or that their client has left, removes expired
// entries, and makes PollDatagram return keep-alives for clients to which nothing was sent for 100
// ms. Call it once per frame, after the datagrams of the frame, and at least ten times a second.
func (s *Server) Advance(now time.Time) {
	s.clock.setNow(now)
	if s.clock.sweepDue() {
		s.handshakes.pending.sweep(now)
		s.handshakes.history.sweep(s.clock.wall)
	}
	s.outgoing.due = s.outgoing.due[:0]
	s.endLeaving(func(c *slot) bool { return now.Sub(c.left) >= GoodbyeWait })
	for i := range s.slots {
		if s.slots[i].state != slotConnected {
			continue
		}
		if s.slots[i].timedOut(now) {
			s.endAndNotify(i, ReasonTimedOut)
		} else if s.keepAliveDue(i, now) {
			s.outgoing.due = append(s.outgoing.due, int32(i))
		}
	}
}
