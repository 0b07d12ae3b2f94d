package session

import "time"

// Advance ends connections that timed out or were left by their client, removes expired entries, and makes
// PollDatagram return keep-alives for clients to which nothing was sent for 100 ms.
// Call it once a frame, after the frame's datagrams, at least ten times a second.
func (s *Server) Advance(now time.Time) {
	s.setNow(now)
	if now.Sub(s.swept) >= sweepInterval {
		s.swept = now
		s.pending.sweep(now)
		s.history.sweep(s.wall)
	}
	s.due = s.due[:0]
	s.endLeaving(func(c *slot) bool { return now.Sub(c.left) >= GoodbyeWait })
	for i := range s.slots {
		if s.slots[i].state != slotConnected {
			continue
		}
		if s.slots[i].timedOut(now) {
			s.endAndNotify(i, ReasonTimedOut)
		} else if s.owesKeepAlive(i) {
			s.due = append(s.due, int32(i))
		}
	}
}
