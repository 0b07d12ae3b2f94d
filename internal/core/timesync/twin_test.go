package timesync

import (
	"flag"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

var streamSeed = flag.Uint64("streams", 1, "the seed of the first stream of samples")

// sortedWindow is a simple version of window: it examines and sorts all of its blocks for each
// result, and caches nothing.
type sortedWindow struct {
	length Phase // of a block, in local time
	keep   int   // blocks
	reach  Phase // how far above the base the level may always be

	blocks [maxBlocks]block // oldest first
	n      int
	sorted [maxBlocks]Phase
	drift  drift
}

func newSortedWindow(length Phase, keep int, reach Phase) sortedWindow {
	return sortedWindow{length: length, keep: keep, reach: reach}
}

// add adds a sample at the local time at.
func (w *sortedWindow) add(at, sample Phase) {
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

// drop makes room for a block, and removes blocks that are too old.
func (w *sortedWindow) drop(at Phase) {
	old := 0
	for old < w.n && (w.n-old >= w.keep || at-w.blocks[old].begin > 3*w.length*Phase(w.keep)/2) {
		old++
	}
	w.cut(old)
}

// cut removes the oldest blocks.
func (w *sortedWindow) cut(blocks int) {
	copy(w.blocks[:], w.blocks[blocks:w.n])
	w.n -= blocks
}

// shift moves all samples.
func (w *sortedWindow) shift(by Phase) {
	for i := range w.blocks[:w.n] {
		w.blocks[i].low += by
		w.blocks[i].high += by
	}
}

// forget removes the blocks before a lasting change: if all of the last blocks are below all others
// by more than a tick, or if all of their samples are above the usual level.
func (w *sortedWindow) forget() {
	before := w.n - lastingBlocks
	if before < 1 {
		return
	}
	older, last := extent(w.blocks[:before]), extent(w.blocks[before:w.n])
	if last.high < older.leastHigh-One {
		w.cut(before)
		w.dropTransition()
		return
	}
	w.sort(before)
	if last.low > w.base(before)+One {
		w.cut(before)
	}
}

// dropTransition removes the first block if the change happened during it, because it has samples
// from before the change.
func (w *sortedWindow) dropTransition() {
	if w.blocks[0].high > extent(w.blocks[1:w.n]).high+transition {
		w.cut(1)
	}
}

// highOf returns the high of block i, converted to the present by the drift.
func (w *sortedWindow) highOf(i int) Phase {
	b := &w.blocks[i]
	return b.high + w.drift.over(w.blocks[w.n-1].begin-b.begin)
}

// sort sorts the highs of the first n blocks, highest first.
func (w *sortedWindow) sort(n int) {
	for i := range n {
		w.sorted[i] = -w.highOf(i)
	}
	slices.Sort(w.sorted[:n])
	for i := range w.sorted[:n] {
		w.sorted[i] = -w.sorted[i]
	}
}

// base returns the level that only one block in baseShare exceeds.
func (w *sortedWindow) base(n int) Phase { return w.sorted[n/baseShare] }

// level returns the lowest level that the samples exceed in at most the given number of events, and
// in none of them for long. Rare events raise it only by a bounded amount.
func (w *sortedWindow) level(events int) Phase {
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

// lately returns the lowest sample of the last blocks, which are too many to be a rare event.
func (w *sortedWindow) lately() Phase { return extent(w.blocks[max(w.n-lastingBlocks, 0):w.n]).low }

// rare reports whether samples exceed level in at most the given number of events, and in none of
// them for long.
func (w *sortedWindow) rare(level Phase, events int) bool {
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

// spread returns the difference between the highest and the lowest sample.
func (w *sortedWindow) spread() Phase {
	r := extent(w.blocks[:w.n])
	return r.high - r.low
}

// width returns the difference between the base and the lowest block. It is valid after level.
func (w *sortedWindow) width() Phase { return w.base(w.n) - w.sorted[w.n-1] }

// high returns the highest sample.
func (w *sortedWindow) high() Phase { return extent(w.blocks[:w.n]).high }

// low returns the lowest sample.
func (w *sortedWindow) low() Phase { return extent(w.blocks[:w.n]).low }

// follow is the equivalent of streak.follow.
func (w *sortedWindow) follow(s *streak, at Phase) bool {
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
	w.n = older
	w.shift(by)
	w.add(at, s.low)
	w.add(at, s.high)
	return true
}

func (w *sortedWindow) usualLow(n int) Phase {
	var lows []Phase
	for _, b := range w.blocks[max(n-steadyBlocks, 0):n] {
		lows = append(lows, b.low)
	}
	slices.Sort(lows)
	return lows[len(lows)/baseShare]
}

// windowFigures are all results that a window returns.
type windowFigures struct {
	n                                 int
	none, two, one                    Phase
	width, spread, low, high, drifted Phase
}

func (w *window) figures() windowFigures {
	return windowFigures{w.n, w.level(0), w.level(2), w.level(1), w.width(), w.spread(), w.low(), w.high(), w.drift.millionths}
}

func (w *sortedWindow) figures() windowFigures {
	return windowFigures{w.n, w.level(0), w.level(2), w.level(1), w.width(), w.spread(), w.low(), w.high(), w.drift.millionths}
}

// stream generates samples like those of networks: jitter, drift of the clocks, single and repeated
// spikes, lasting changes, and silence.
type stream struct {
	rng                *rand.Rand
	at, latency, drift Phase
	jitter, spike      Phase
	spiky, held, lull  int // each happens once in this many samples
}

func newStream(seed uint64) *stream {
	rng := rand.New(rand.NewPCG(seed, 4))
	return &stream{
		rng: rng, latency: Phase(rng.IntN(20)) * One, drift: Phase(rng.IntN(2*maxDrift) - maxDrift),
		jitter: 1 + Phase(rng.IntN(4*int(One)))>>rng.IntN(16), spike: Phase(rng.IntN(20)) * One,
		spiky: 5 + rng.IntN(200), held: 100 + rng.IntN(1000), lull: 200 + rng.IntN(2000),
	}
}

func (s *stream) next() (at, sample Phase) {
	s.at += Phase(s.rng.IntN(3)) * One
	if s.rng.IntN(s.lull) == 0 {
		s.at += Phase(s.rng.IntN(3000)) * One
	}
	if s.rng.IntN(s.held) == 0 {
		s.latency += Phase(s.rng.IntN(21)-10) * One
	}
	sample = s.latency + s.at/1e6*s.drift + Phase(s.rng.Int64N(int64(s.jitter)))
	if s.rng.IntN(s.spiky) == 0 {
		sample += s.spike
	}
	return s.at, sample
}

// A window always returns the same results as one that sorts all of its blocks each time.
func TestAWindowEqualsOneWithoutCaches(t *testing.T) {
	forgot, followed, shifted := 0, 0, 0
	for seed := range uint64(300) {
		in := newStream(*streamSeed + seed)
		keep, reach := 1+in.rng.IntN(maxBlocks), Phase(in.rng.IntN(10))*One
		w, twin := newWindow(16*One, keep, reach), newSortedWindow(16*One, keep, reach)
		for range 3000 {
			at, sample := in.next()
			before := w.n
			switch roll := in.rng.IntN(1000); {
			case roll == 0:
				w.keepOnly(0, 0)
				twin.n = 0
			case roll == 1:
				by := Phase(in.rng.IntN(9)-4) * One
				w.shift(by)
				twin.shift(by)
				shifted++
			case roll < 5 && w.n > 0:
				s := streak{since: at - Phase(in.rng.IntN(200))*One, low: sample, high: sample + Phase(in.rng.IntN(14))*One}
				follows := s.follow(&w, at)
				require.Equal(t, twin.follow(&s, at), follows)
				if follows {
					followed++
				}
			}
			w.addSample(at, sample)
			twin.add(at, sample)
			if w.n < before {
				forgot++
			}
			if in.rng.IntN(4) > 0 { // not always, because some results are computed only when asked for
				require.Equal(t, twin.level(1), w.level(1))
				require.Equal(t, twin.figures(), w.figures(), "go test ./internal/core/timesync -run '^%s$' -streams %d", t.Name(), *streamSeed+seed)
			}
		}
	}
	t.Log(forgot, followed, shifted)
	require.Greater(t, forgot, 100)
	require.Greater(t, followed, 100)
	require.Greater(t, shifted, 100)
}
