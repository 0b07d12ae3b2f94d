package timesync

import (
	"slices"
	"time"
)

const (
	// streakTime and streakTicks are for how long, and in how many ticks, all inputs have to
	// be late before the latency is considered to have changed.
	streakTime  = 200 * time.Millisecond
	streakTicks = 8
)

// streak is a series of inputs that were all late, with their samples: the player has no
// control while it lasts. Inputs that were held up by a stall arrive all at once, and the stall
// is over before it is reported: they make no streak.
type streak struct {
	n         int
	since     Phase // local time of the first
	low, high Phase
}

// addSample records the sample of an input and compares it with the input line. It reports whether
// the streak has lasted for too long.
func (s *streak) addSample(at, sample, line, time Phase) bool {
	if sample <= line {
		*s = streak{}
		return false
	}
	if s.n == 0 {
		*s = streak{since: at, low: sample, high: sample}
	}
	s.n++
	s.low, s.high = min(s.low, sample), max(s.high, sample)
	return s.n >= streakTicks && at-s.since >= time
}

const (
	// leastMove is by how much the latency has to grow for a window to be moved at once.
	leastMove = 2 * One

	// maxSpread is the greatest spread of the samples of a streak: after a stall each earlier
	// input has waited longer than the next.
	maxSpread = 12 * One
)

// follow moves a window to the samples of a streak, if they are far away. The latency has
// changed; its variation is assumed to be the same.
func (s *streak) follow(w *window, at Phase) bool {
	older := w.n
	for older > 0 && w.blocks[older-1].begin >= s.since {
		older--
	}
	if older == 0 || s.high-s.low > maxSpread {
		return false
	}
	by := s.low - w.usualLow(older)
	if by < leastMove {
		return false
	}
	w.keepOnly(0, older)
	w.shift(by)
	w.addSample(at, s.low)
	w.addSample(at, s.high)
	return true
}

// usualLow returns the low that only one in baseShare of the last steadyBlocks blocks before n is
// below. Drift has hardly moved these.
func (w *window) usualLow(n int) Phase {
	blocks := w.blocks[max(n-steadyBlocks, 0):n]
	var lows [steadyBlocks]Phase
	for i := range blocks {
		lows[i] = blocks[i].low
	}
	slices.Sort(lows[:len(blocks)])
	return lows[len(blocks)/baseShare]
}
