package timesync

import (
	"time"

	"github.com/entangle-ecs/entangle"
)

// ownClock is the clock that is steered, relative to local time.
type ownClock struct {
	ticks  unwrapped
	at     Phase // local time of the last frame
	offset Phase // the clock less local time, at the last frame
	ran    bool
	// slipped reports that the last frame lost ticks, as after a stall, which needs no
	// measurement.
	slipped bool
}

// slip is by how much a frame must change the offset, beyond the effect of the speed, to count
// as one that lost or gained ticks.
const slip = One

// frameTicks is how many ticks a frame runs at most: further ones were skipped.
const frameTicks = 8

func (o *ownClock) beginFrame(tick entangle.Tick, overstep, at Phase) {
	o.ticks.follow(tick)
	offset := o.ticks.at + overstep - at
	if o.ran {
		explained := slip + max(at-o.at, 0)*MaxSteer/Phase(Normal)
		o.slipped = o.slipped || offset-o.offset > explained || o.offset-offset > explained
	}
	o.at, o.offset, o.ran = at, offset, true
}

// jump moves the clock forward or back.
func (o *ownClock) jump(by int64) {
	o.ticks.tick += entangle.Tick(by)
	o.ticks.at += Phase(by) << 16
	o.offset += Phase(by) << 16
}

// FrameRan records a frame, after its ticks and before its sends: the last finished tick, how
// far the clock is into the next one (from 0 to below One), and the time of the frame.
func (c *Client) FrameRan(tick entangle.Tick, overstep Phase, now time.Time) {
	at := c.axis.phaseAt(now)
	if over := tick.Sub(c.own.ticks.tick) - frameTicks; c.own.ran && over > 0 {
		c.required.jump(int64(over))
	}
	c.own.beginFrame(tick, overstep, at)
	c.shown.beginFrame(at)
}
