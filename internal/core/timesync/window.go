package timesync

import "slices"

const (
	// maxBlocks is how many blocks a window has at most.
	maxBlocks = 128

	// rareBlocks is how many blocks in a row a spike can take and still count as one
	// that need not be met again. What lasts longer is how things are now.
	rareBlocks = 4

	// rareShare is the share of blocks that a spike may be, where there are few: one in so
	// many.
	rareShare = 4

	// lastingBlocks is how many whole blocks in a row make a change last.
	lastingBlocks = 3

	// transition is by how much the first block after a change has to be above the next
	// ones to be none of them.
	transition = 4 * One

	// baseShare is the share of blocks that may be above the base: one in so many.
	// Beyond the base a window goes only so far, since what is above it is rare.
	baseShare = 8
)

// A window holds the samples of the last half minute or so, by blocks of a quarter of a
// second, and finds a level that nearly all of them stay below. What comes close together
// counts once: a stall of a connection makes many samples and is one event.
type window struct {
	length Phase // of a block, in local time
	keep   int   // blocks
	reach  Phase // how far above the base the level may be in any case

	blocks [maxBlocks]block // the oldest first
	n      int
	sorted [maxBlocks]Phase
	drift  drift
}

// block is the extent of the samples of a stretch of time.
type block struct{ begin, low, high Phase }

func newWindow(length Phase, keep int, reach Phase) window {
	return window{length: length, keep: keep, reach: reach}
}

// add takes a sample at the local time at.
func (w *window) add(at, sample Phase) {
	if w.n > 0 {
		if b := &w.blocks[w.n-1]; at-b.begin < w.length {
			b.low, b.high = min(b.low, sample), max(b.high, sample)
			return
		}
		w.forget()
		w.drift.learn(w.blocks[:w.n], w.length)
	}
	w.drop(at)
	w.blocks[w.n] = block{begin: at, low: sample, high: sample}
	w.n++
}

// drop makes room, and lets go of what is too old.
func (w *window) drop(at Phase) {
	old := 0
	for old < w.n && (w.n-old >= w.keep || at-w.blocks[old].begin > 3*w.length*Phase(w.keep)/2) {
		old++
	}
	w.cut(old)
}

// cut takes the oldest blocks out.
func (w *window) cut(blocks int) {
	copy(w.blocks[:], w.blocks[blocks:w.n])
	w.n -= blocks
}

// shift moves all samples.
func (w *window) shift(by Phase) {
	for i := range w.blocks[:w.n] {
		w.blocks[i].low += by
		w.blocks[i].high += by
	}
}

// forget takes out what was before a change that lasts: when all of the last blocks are
// below all of the others by more than a tick, or all their samples above what was usual.
func (w *window) forget() {
	before := w.n - lastingBlocks
	if before < 1 {
		return
	}
	older, last := extent(w.blocks[:before]), extent(w.blocks[before:w.n])
	if last.high < older.leastHigh-One {
		w.cut(before)
		w.settle()
		return
	}
	w.sort(before)
	if last.low > w.base(before)+One {
		w.cut(before)
	}
}

// settle takes out the block in which a change came, which has of both.
func (w *window) settle() {
	if w.blocks[0].high > extent(w.blocks[1:w.n]).high+transition {
		w.cut(1)
	}
}

// reached is how far blocks go.
type reached struct{ low, high, leastHigh Phase }

func extent(blocks []block) reached {
	r := reached{blocks[0].low, blocks[0].high, blocks[0].high}
	for _, b := range blocks[1:] {
		r.low, r.high, r.leastHigh = min(r.low, b.low), max(r.high, b.high), min(r.leastHigh, b.high)
	}
	return r
}

// highOf returns the high of block i, as it would be now.
func (w *window) highOf(i int) Phase {
	b := &w.blocks[i]
	return b.high + w.drift.over(w.blocks[w.n-1].begin-b.begin)
}

// sort puts the highs of the first n blocks in order, the highest first.
func (w *window) sort(n int) {
	for i := range n {
		w.sorted[i] = -w.highOf(i)
	}
	slices.Sort(w.sorted[:n])
	for i := range w.sorted[:n] {
		w.sorted[i] = -w.sorted[i]
	}
}

// base is the level that only one block in so many is above.
func (w *window) base(n int) Phase { return w.sorted[n/baseShare] }

// level returns the lowest level that the samples exceed at most in so many events, none
// of which lasts. What is rare moves it only so far.
func (w *window) level(events int) Phase {
	w.sort(w.n)
	level := w.sorted[0]
	for _, lower := range w.sorted[1:w.n] {
		if !w.rare(lower, events) {
			break
		}
		level = lower
	}
	base := w.base(w.n)
	level = min(level, base+max(w.reach, 3*w.width()))
	return max(level, w.lately())
}

// lately is what all of the last samples are above, which is not rare.
func (w *window) lately() Phase { return extent(w.blocks[max(w.n-lastingBlocks, 0):w.n]).low }

// rare reports whether at most so many events exceed level, none of which lasts.
func (w *window) rare(level Phase, events int) bool {
	longest, run := min(rareBlocks, w.n/rareShare), 0
	for i := range w.n {
		if w.highOf(i) <= level {
			run = 0
			continue
		}
		if run++; run == 1 {
			events--
		}
		if events < 0 || run > longest {
			return false
		}
	}
	return true
}

// spread returns how far apart all samples are.
func (w *window) spread() Phase {
	r := extent(w.blocks[:w.n])
	return r.high - r.low
}

// width returns how far apart the base and the least of the blocks are. It is fresh after
// level.
func (w *window) width() Phase { return w.base(w.n) - w.sorted[w.n-1] }

// high returns the highest sample.
func (w *window) high() Phase { return extent(w.blocks[:w.n]).high }

// low returns the lowest sample.
func (w *window) low() Phase { return extent(w.blocks[:w.n]).low }
