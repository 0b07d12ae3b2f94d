package timesync

import (
	"time"

	"github.com/entangle-ecs/entangle"
)

// own is the clock that is steered: where it stands against local time.
type own struct {
	ticks  unwrapped
	at     Phase // local time of the last frame
	offset Phase // the clock less local time, at the last frame
	ran    bool
	// slipped says that the last frame lost ticks, as after a stall: nobody has to
	// measure that.
	slipped bool
}

// slip is by how much a frame changes the offset beyond what speed explains, when it lost
// or gained ticks.
const slip = One

// frameTicks is how many ticks a frame runs at most: more were jumped over.
const frameTicks = 8

func (o *own) frame(tick entangle.Tick, overstep, at Phase) {
	o.ticks.follow(tick)
	offset := o.ticks.at + overstep - at
	if o.ran {
		explained := slip + max(at-o.at, 0)*MaxSteer/Phase(Normal)
		o.slipped = o.slipped || offset-o.offset > explained || o.offset-offset > explained
	}
	o.at, o.offset, o.ran = at, offset, true
}

// jump sets the clock on or back.
func (o *own) jump(by int64) {
	o.ticks.tick += entangle.Tick(by)
	o.ticks.at += Phase(by) << 16
	o.offset += Phase(by) << 16
}

// Ran tells the clock of a frame, after its ticks and before what it sends: the last
// finished tick, how far the clock is into the next one, at least 0 and below One, and
// the time of the frame.
func (c *Client) Ran(tick entangle.Tick, overstep Phase, now time.Time) {
	at := c.axis.at(now)
	if over := tick.Sub(c.own.ticks.tick) - frameTicks; c.own.ran && over > 0 {
		c.required.jump(int64(over))
	}
	c.own.frame(tick, overstep, at)
	c.shown.frame(at)
}
