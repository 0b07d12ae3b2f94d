package timesync_test

import (
	"math/rand/v2"
	"time"
)

// way is one direction of a network.
type way struct {
	latency, jitter time.Duration // each packet has latency, give or take up to jitter
	loss            float64
	burst           float64 // packets that are lost in a row, on average; up to 1: each for itself

	// extra is what a packet that leaves at a time takes longer, by what happens to the
	// way over time; nil: nothing.
	extra func(at time.Duration) time.Duration
	// gone reports whether what leaves at a time is lost.
	gone func(at time.Duration) bool
}

// link draws the fate of each packet of a way.
type link struct {
	way
	rng *rand.Rand
	bad bool
}

// fate returns when a packet that leaves at a time arrives, if it does. It draws equally
// often, whatever comes of it.
func (l *link) fate(at time.Duration) (due time.Duration, ok bool) {
	lost := l.loses()
	delay := l.latency + time.Duration((2*l.rng.Float64()-1)*float64(l.jitter))
	if l.extra != nil {
		delay += l.extra(at)
	}
	return at + max(delay, 0), !lost && (l.gone == nil || !l.gone(at))
}

func (l *link) loses() bool {
	roll := l.rng.Float64()
	switch {
	case l.burst <= 1:
		return roll < l.loss
	case l.bad:
		l.bad = roll >= 1/l.burst
	default:
		l.bad = roll < l.loss/((1-l.loss)*l.burst)
	}
	return l.bad
}

// between is a stretch of time.
func between(from, to time.Duration) func(time.Duration) bool {
	return func(at time.Duration) bool { return at >= from && at < to }
}
