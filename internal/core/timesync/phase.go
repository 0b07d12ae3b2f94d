package timesync

import (
	"time"

	"github.com/entangle-ecs/entangle"
)

// Phase is a time or a span, in parts of a tick. All that is decided here is decided in
// whole parts, so that it is decided equally on every machine.
type Phase int64

// One is a tick.
const One Phase = 1 << 16

// Ticks returns p in ticks, for the eyes of people.
func (p Phase) Ticks() float64 { return float64(p) / float64(One) }

// whole is a number of ticks.
func whole(ticks int) Phase { return Phase(ticks) * One }

// nearest returns p in whole ticks.
func (p Phase) nearest() int64 { return int64((p + One/2) >> 16) }

// axis measures local time in ticks, from the first time that it is asked for.
type axis struct {
	rate   int64 // ticks per second
	origin time.Time
}

func (a *axis) at(now time.Time) Phase {
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

// unwrapped counts ticks on beyond the wrap of 32 bits, from the first one it saw. Two of
// them may count the same tick 2^32 apart.
type unwrapped struct {
	some bool
	tick entangle.Tick
	at   Phase // tick, counted on
}

// of returns t by the shorter way from the tick that was last followed to.
func (u *unwrapped) of(t entangle.Tick) Phase {
	if !u.some {
		*u = unwrapped{some: true, tick: t, at: Phase(t) << 16}
	}
	return u.at + whole(int(t.Sub(u.tick)))
}

func (u *unwrapped) follow(t entangle.Tick) { u.at, u.tick = u.of(t), t }
