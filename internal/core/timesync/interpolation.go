package timesync

import (
	"time"

	"github.com/entangle-ecs/entangle"
)

const (
	// sparseSends is the number of send intervals without a packet after which the server is
	// assumed to have had nothing to send. After a shorter time, packets are assumed to be lost.
	sparseSends = 4

	// missedSnapshots is how many times within the window the interpolation may have to wait for a
	// late snapshot.
	missedSnapshots = 2
)

// shown computes the interpolation time. It is behind the newest snapshot by as much as is needed
// for another snapshot after it to be there in nearly every frame.
type shown struct {
	window window // samples of how far the shown time has to be behind local time
	steer  steer
	far    Phase

	goal   Phase // where the shown time should be, minus local time
	every  int   // number of the server's ticks from packet to packet
	offset Phase // the shown time minus local time
	at     Phase // local time of the last frame
	time   Phase // the shown time in that frame
	some   bool  // offset and time are set
}

// arrived records the arrival of a newer tick. Until now, h.newest was the newest one, also in the
// last frame.
func (s *shown) arrived(h *arrivals, tick, at Phase) {
	if tick-h.newest > whole(sparseSends*max(s.every, 1)) || h.at > s.at {
		return
	}
	s.window.addSample(at, s.at-h.newest)
	s.aim()
}

// aim computes where the shown time should be.
func (s *shown) aim() {
	if s.window.n > 0 {
		s.goal = -s.window.level(missedSnapshots)
	}
}

func (s *shown) beginFrame(at Phase) {
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
	s.steer.nextSpeed(at, s.goal-s.offset)
	s.time = max(s.time, at+s.offset)
}

// Interpolation returns the time at which interpolated state is shown in this frame, as a tick and
// a fraction of the next one in 256ths. It never decreases, except by a jump of the server's time.
func (c *Client) Interpolation(time.Time) (tick entangle.Tick, fraction uint8) {
	t := c.shown.time
	if !c.shown.some {
		t = c.arrivals.newest - whole(2*max(c.shown.every, 1))
	}
	return entangle.Tick(t >> 16), uint8(t >> 8)
}
