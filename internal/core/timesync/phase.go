package timesync

import (
	"time"

	"github.com/entangle-ecs/entangle"
)

// Phase is a point in time or a duration, in units of 1/65536 tick. All decisions use these
// integers, so that they are equal on every machine.
type Phase int64

// One is the length of a tick.
const One Phase = 1 << 16

// Ticks returns p as a number of ticks, for display.
func (p Phase) Ticks() float64 { return float64(p) / float64(One) }

// whole returns a number of ticks as a Phase.
func whole(ticks int) Phase { return Phase(ticks) * One }

// nearest returns p rounded to whole ticks.
func (p Phase) nearest() int64 { return int64((p + One/2) >> 16) }

// axis converts local time to a Phase: the time since the first conversion.
type axis struct {
	rate   int64 // ticks per second
	origin time.Time
}

func (a *axis) phaseAt(now time.Time) Phase {
	if a.origin.IsZero() {
		a.origin = now
	}
	d := now.Sub(a.origin)
	seconds, rest := int64(d/time.Second), int64(d%time.Second)
	return Phase(seconds*a.rate<<16 + rest*a.rate<<16/int64(time.Second))
}

// span converts a duration to a Phase.
func (a *axis) span(d time.Duration) Phase {
	return Phase(int64(d/time.Millisecond) * a.rate << 16 / 1000)
}

// unwrapped extends 32-bit ticks so that they do not wrap around. Two unwrapped values that began
// at different ticks may extend the same tick to values that differ by 2^32 ticks.
type unwrapped struct {
	some bool
	tick entangle.Tick
	at   Phase // the extended value of tick
}

// extend returns the extended value of t. It is within half of the 32-bit range of the last tick
// that was passed to follow.
func (u *unwrapped) extend(t entangle.Tick) Phase {
	if !u.some {
		*u = unwrapped{some: true, tick: t, at: Phase(t) << 16}
	}
	return u.at + whole(int(t.Sub(u.tick)))
}

func (u *unwrapped) follow(t entangle.Tick) { u.at, u.tick = u.extend(t), t }
