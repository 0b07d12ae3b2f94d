package timesync

import (
	"time"

	"github.com/entangle-ecs/entangle"
)

// Phase is a time or a duration, in units of 1/65536 tick. All decisions use these integers, so
// that they are equal on every machine.
type Phase int64

// One is a tick.
const One Phase = 1 << 16

// Ticks returns p in ticks, for display.
func (p Phase) Ticks() float64 { return float64(p) / float64(One) }

// whole is a number of ticks.
func whole(ticks int) Phase { return Phase(ticks) * One }

// nearest returns p in whole ticks.
func (p Phase) nearest() int64 { return int64((p + One/2) >> 16) }

// axis converts local time to ticks since its first call.
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

// span returns a duration in ticks.
func (a *axis) span(d time.Duration) Phase {
	return Phase(int64(d/time.Millisecond) * a.rate << 16 / 1000)
}

// unwrapped extends 32-bit ticks beyond their wrap, from the first one on. The results of two
// of them may differ by 2^32 for the same tick.
type unwrapped struct {
	some bool
	tick entangle.Tick
	at   Phase // tick, extended
}

// extend extends t, relative to the last tick passed to follow.
func (u *unwrapped) extend(t entangle.Tick) Phase {
	if !u.some {
		*u = unwrapped{some: true, tick: t, at: Phase(t) << 16}
	}
	return u.at + whole(int(t.Sub(u.tick)))
}

func (u *unwrapped) follow(t entangle.Tick) { u.at, u.tick = u.extend(t), t }
