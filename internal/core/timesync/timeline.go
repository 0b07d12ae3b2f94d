package timesync

import (
	"math/bits"
	"time"
)

// farShown is the error of a timeline at which it jumps, or farShownTicks if these are longer.
const (
	farShown      = 500 * time.Millisecond
	farShownTicks = 8
)

// MaxAhead returns by how much a screen may be ahead of the newest tick that has arrived, in 256ths of a tick: while
// the server stands still, the shown time goes on for so long.
func MaxAhead(tickRate int) Shown {
	a := axis{rate: int64(tickRate)}
	return Shown(max(a.span(farShown), whole(farShownTicks)) >> 8)
}

// timeline is the shown time of the entities with one send interval. It is behind local time by the
// smallest delay with which a newer sample is there in nearly all frames.
type timeline struct {
	every  int // the send interval in ticks
	delays delayHistogram
	steer  steer
	goal   Phase // where offset should be
	offset Phase // the shown time minus local time, without a stop
	time   Phase // the shown time in the last frame
}

// newTimeline returns a timeline that begins at an offset, and keeps it until there are samples.
func (c *Client) newTimeline(every int, offset Phase) timeline {
	interval := whole(every)
	return timeline{
		every: every, goal: offset, offset: offset, time: c.shown.at + offset,
		delays: delayHistogram{
			width:  bits.Len64(uint64(max(interval/bucketsPerInterval, c.axis.span(leastBucket)))) - 1,
			period: max(interval*delaySends, c.axis.span(delayPeriod)),
		},
		// A delay that is a little too long does no harm, but one that is too short does.
		steer: steer{behind: interval / 8, ahead: 0, patience: c.limits.patience, speed: Normal},
	}
}

// beginFrame advances the timeline to a frame at local time at, passed after the last one. It does
// not run beyond limit, and it stops where it would have to go back.
func (t *timeline) beginFrame(at, passed, frame, far, limit Phase) {
	t.offset += passed * Phase(t.steer.speed-Normal) / Phase(Normal)
	if delay, ok := t.delays.delay(frame); ok {
		t.goal = -delay
		if t.delays.first() { // too short to have seen rare delays
			t.goal = min(t.goal, t.offset)
		}
		t.delays.beginPeriod(at, delay)
	}
	if err := t.goal - t.offset; err > far || err < -far {
		t.offset = t.goal
		t.steer.rest(at)
	} else {
		t.steer.nextSpeed(at, err)
	}
	t.time = max(t.time, min(at+t.offset, limit))
}

// shift adapts to a jump of the server's ticks against local time: samples need a delay that is
// longer by so much.
func (t *timeline) shift(by Phase) {
	t.delays.low += by
	t.goal -= by
}
