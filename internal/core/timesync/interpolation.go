package timesync

import (
	"time"

	"github.com/entangle-ecs/entangle"
)

const (
	// sparseSends is after how many send intervals without a packet the server had
	// nothing to send, and nothing was lost.
	sparseSends = 4

	// missedSnapshots is how many events of the window may leave the interpolation
	// without the snapshot that it needs.
	missedSnapshots = 2
)

// shown is the time at which what is interpolated is shown: behind the newest snapshot, as
// far as it takes to have another one after it in nearly every frame.
type shown struct {
	window window // by how much the shown time has to be behind local time
	steer  steer
	far    Phase

	goal   Phase // where it has to be, less local time
	every  int   // the server's ticks from packet to packet
	offset Phase // the shown time less local time
	at     Phase // local time of the last frame
	time   Phase // what was shown in it
	some   bool
}

// arrived takes the arrival of a newer tick: until the last frame the one before had to do.
func (s *shown) arrived(h *heard, tick, at Phase) {
	if tick-h.newest > whole(sparseSends*max(s.every, 1)) || h.at > s.at {
		return
	}
	s.window.add(at, s.at-h.newest)
	s.aim()
}

// aim finds where the shown time has to be.
func (s *shown) aim() {
	if s.window.n > 0 {
		s.goal = -s.window.level(missedSnapshots)
	}
}

func (s *shown) frame(at Phase) {
	passed := max(at-s.at, 0)
	s.at = at
	if s.window.n == 0 {
		return
	}
	err := s.goal - s.offset
	if !s.some || err > s.far || err < -s.far {
		s.offset, s.time, s.some = s.goal, at+s.goal, true
		s.steer.rest(at)
		return
	}
	s.offset += passed * Phase(s.steer.speed-Normal) / Phase(Normal)
	s.steer.next(at, s.goal-s.offset)
	s.time = max(s.time, at+s.offset)
}

// Interpolation returns the time at which what is interpolated is shown in this frame, as
// a tick and 256ths of the way to the next. It never runs back, but when it jumps with the
// server's time.
func (c *Client) Interpolation(time.Time) (tick entangle.Tick, fraction uint8) {
	t := c.shown.time
	if !c.shown.some {
		t = c.heard.newest - whole(2*max(c.shown.every, 1))
	}
	return entangle.Tick(t >> 16), uint8(t >> 8)
}
