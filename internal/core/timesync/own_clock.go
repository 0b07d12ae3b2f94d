package timesync

import (
	"time"

	"github.com/entangle-ecs/entangle"
)

// ownClock is the client's clock, which is steered. Its offset is relative to local time.
type ownClock struct {
	ticks  unwrapped
	at     Phase // local time of the last frame
	offset Phase // the clock minus local time, at the last frame
	ran    bool  // a frame was recorded
	// slipped is true if ticks were skipped or run in excess in the last frame, for example after a
	// stall. The clock then jumps without waiting for a measurement.
	slipped bool
}

// slip is by how much the offset must change in a frame, beyond the effect of the speed, for
// slipped to be set.
const slip = One

// frameTicks is the most ticks that one frame runs. If the tick number advances by more, the rest
// was skipped.
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

// FrameRan records a frame of the app. Call it after the ticks of the frame and before its sends.
// tick is the last finished tick, overstep how far the clock is into the next one (from 0 to below
// One), and now the time of the frame.
func (c *Client) FrameRan(tick entangle.Tick, overstep Phase, now time.Time) {
	at := c.axis.phaseAt(now)
	if over := tick.Sub(c.own.ticks.tick) - frameTicks; c.own.ran && over > 0 {
		c.required.jump(int64(over))
	}
	c.own.beginFrame(tick, overstep, at)
}
