package timesync

import (
	"slices"
	"time"
)

const (
	// streakTime is for how long, and streakTicks in how many ticks, all inputs have to be
	// late before it is the way that has changed.
	streakTime  = 200 * time.Millisecond
	streakTicks = 8
)

// streak is a row of inputs that were all late, with what they had needed. Nobody is in
// control for as long as it lasts. What a stall held up comes all at once, and is over
// before it is told: that is none.
type streak struct {
	n         int
	since     Phase // local time of the first
	low, high Phase
}

// take notes an input for which the input line had to be at sample, and is at line. It
// reports whether that goes on for too long.
func (s *streak) take(at, sample, line, time Phase) bool {
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
	// leastMove is by how much a way has to be longer for a window to be moved at once.
	leastMove = 2 * One

	// mostApart is how far apart the samples of a streak are at most: what was held up has
	// waited for longer and longer, back from the last that came.
	mostApart = 12 * One
)

// follow moves a window to where a streak is, if that is far. The way is another one; how it
// varies is taken to be as it was.
func (s *streak) follow(w *window, at Phase) bool {
	older := w.n
	for older > 0 && w.blocks[older-1].begin >= s.since {
		older--
	}
	if older == 0 || s.high-s.low > mostApart {
		return false
	}
	by := s.low - w.usualLow(older)
	if by < leastMove {
		return false
	}
	w.keepOnly(0, older)
	w.shift(by)
	w.add(at, s.low)
	w.add(at, s.high)
	return true
}

// usualLow is the low that only one in so many of the blocks before n is below, of those
// that drift has not moved yet.
func (w *window) usualLow(n int) Phase {
	blocks := w.blocks[max(n-steadyBlocks, 0):n]
	var lows [steadyBlocks]Phase
	for i := range blocks {
		lows[i] = blocks[i].low
	}
	slices.Sort(lows[:len(blocks)])
	return lows[len(blocks)/baseShare]
}
