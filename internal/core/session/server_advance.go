package session

import "time"

// Advance ends the connections that fell silent or whose client has left, forgets what has expired, and
// has PollDatagram send keep-alives to clients that were sent nothing for 100 ms.
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
			s.endAndTell(i, ReasonTimedOut)
		} else if s.owesKeepAlive(i) {
			s.due = append(s.due, int32(i))
		}
	}
}
