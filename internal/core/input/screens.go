package input

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
)

// Screens holds, for the newest ticks of a client's inputs, what the player's screen showed when the
// input was made that acts in the tick. All input streams of the client share it. The zero value is
// ready for use.
type Screens struct {
	rows   [MaxTicks]timesync.Screen // by tick
	newest entangle.Tick
	ticks  int // how many of the newest ticks have a row

	// Late are the late frames of which the next packet tells, at most timesync.MaxLateFrames.
	Late []timesync.LateFrame
}

// Write records what was on the screen when the inputs were made that act in a tick. Call it once in each
// tick in which inputs are written, with that tick plus the input delay. between says that there was a frame
// without a tick before this one.
//
// It follows a Writer: when the delay has grown, the ticks in between repeat the last input and its
// screen. When the delay has shrunk, inputs are dropped until there is one for the next tick.
func (s *Screens) Write(tick entangle.Tick, screen *timesync.Screen) {
	by := tick.Sub(s.newest)
	switch {
	case s.ticks == 0 || by > MaxTicks:
		s.newest, s.ticks = tick-1, 0
	case by <= 0:
		return
	}
	for last := s.at(s.newest); s.newest != tick-1; {
		s.newest++
		*s.at(s.newest) = *last
		s.ticks++
	}
	s.newest = tick
	*s.at(tick) = *screen
	s.ticks = min(s.ticks+1, MaxTicks)
}

// Jump adjusts to a jump of the client's clock by delta ticks. After a jump back, the inputs of the last
// ticks are made again.
func (s *Screens) Jump(delta int32) {
	if delta < 0 {
		s.newest += entangle.Tick(delta)
		s.ticks = max(s.ticks+int(max(delta, -MaxTicks)), 0)
	}
}

func (s *Screens) at(tick entangle.Tick) *timesync.Screen { return &s.rows[tick%MaxTicks] }

// sendable returns how many of the newest n ticks a packet with tick header can describe.
func (s *Screens) sendable(n int, header entangle.Tick) int {
	newest := s.at(s.newest)
	back := header.Sub(newest.Base.Tick())
	ahead := s.newest.Sub(header)
	if n = min(n, s.ticks); n <= 0 || newest.Packets == 0 || back < -maxDistance || back > maxShown || ahead < -maxDistance || ahead > maxDistance {
		return 0
	}
	for i := 1; i < n; i++ {
		later, earlier := s.at(s.newest-entangle.Tick(i)+1), s.at(s.newest-entangle.Tick(i))
		if by := later.Base - earlier.Base; earlier.Packets != newest.Packets || by < -maxAdvance || by > maxAdvance {
			return i
		}
	}
	return n
}
