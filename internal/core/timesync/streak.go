package timesync

import (
	"slices"
	"time"
)

const (
	// All inputs have to be late for streakTime, and in at least streakTicks ticks, before the
	// latency is considered to have changed.
	streakTime  = 200 * time.Millisecond
	streakTicks = 8
)

// streak is a series of inputs that were all late, with their samples. The player has no control
// while it lasts. Inputs that a stall has held up make no streak: they arrive all at once, and the
// stall is over before it is reported.
type streak struct {
	n         int
	since     Phase // local time of the first report
	low, high Phase
}

// addSample adds the sample of an input. If the sample is not above the input line, the input was
// in time and the streak ends. It reports whether the streak has lasted for too long.
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

	// maxSpread is the greatest spread of the samples of a streak. A greater one is due to a stall,
	// after which each earlier input has waited longer than the next.
	maxSpread = 12 * One
)

// follow moves a window to the samples of a streak if they are far above the window's own. The
// latency has changed; its variation is assumed to be the same. It reports whether it moved the
// window.
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

// usualLow returns the low that one in baseShare of the last blocks before n is below. It looks at
// no more than steadyBlocks of them, so that drift has hardly changed them.
func (w *window) usualLow(n int) Phase {
	blocks := w.blocks[max(n-steadyBlocks, 0):n]
	var lows [steadyBlocks]Phase
	for i := range blocks {
		lows[i] = blocks[i].low
	}
	slices.Sort(lows[:len(blocks)])
	return lows[len(blocks)/baseShare]
}
