package timesync_test

import (
	"math/rand/v2"
	"time"
)

// path is one direction of a network.
type path struct {
	latency, jitter time.Duration // each packet takes latency plus or minus up to jitter
	loss            float64
	burst           float64 // mean number of packets lost in a row; up to 1: independent losses

	// extra returns the additional latency of a packet sent at a time, to simulate changes of the
	// path. It may be nil.
	extra func(at time.Duration) time.Duration
	// gone reports whether a packet sent at a time is lost.
	gone func(at time.Duration) bool
}

// link draws the fate of each packet of a path.
type link struct {
	path
	rng *rand.Rand
	bad bool
}

// fate returns when a packet sent at a time arrives; ok is false if it is lost. Each call draws the
// same number of random numbers.
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

// between returns a function that is true from one time to another.
func between(from, to time.Duration) func(time.Duration) bool {
	return func(at time.Duration) bool { return at >= from && at < to }
}
