package timesync

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// plainWindow keeps all samples, and examines all of them.
type plainWindow struct {
	length Phase
	keep   int
	blocks [][]Phase
	begins []Phase
}

func (p *plainWindow) add(at, sample Phase) {
	if n := len(p.blocks); n > 0 && at-p.begins[n-1] < p.length {
		p.blocks[n-1] = append(p.blocks[n-1], sample)
		return
	}
	p.blocks, p.begins = append(p.blocks, []Phase{sample}), append(p.begins, at)
	if len(p.blocks) > p.keep {
		p.blocks, p.begins = p.blocks[1:], p.begins[1:]
	}
}

// level tries every sample as a level, and applies the definition of window.level.
func (p *plainWindow) level(events int, reach Phase) Phase {
	var highs []Phase
	for _, b := range p.blocks {
		highs = append(highs, slices.Max(b))
	}
	n := len(highs)
	sorted := slices.Clone(highs)
	slices.Sort(sorted)
	level := sorted[n-1]
	for _, try := range sorted {
		if p.rare(highs, try, events) {
			level = try
			break
		}
	}
	base := sorted[n-1-n/baseShare]
	level = min(level, base+max(reach, 3*(base-sorted[0])))
	lately := slices.Min(slices.Concat(p.blocks[max(n-lastingBlocks, 0):]...))
	return max(level, lately)
}

func (p *plainWindow) rare(highs []Phase, level Phase, events int) bool {
	var runs []int
	for i, h := range highs {
		if h > level {
			if i == 0 || highs[i-1] <= level {
				runs = append(runs, 0)
			}
			runs[len(runs)-1]++
		}
	}
	return len(runs) <= events && (len(runs) == 0 || slices.Max(runs) <= min(rareBlocks, len(highs)/rareShare))
}

// A window returns the level that examining all samples returns, as long as it drops none of them
// because of a lasting change.
func TestAWindowEqualsItsPlainTwin(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 3))
		keep, reach := 1+rng.IntN(40), Phase(rng.IntN(10))*One
		w := newWindow(16*One, keep, reach)
		p := plainWindow{length: 16 * One, keep: keep}
		at := Phase(0)
		for range 600 {
			at += Phase(rng.IntN(4)) * One
			sample := Phase(rng.IntN(3)) * One // close to each other, so that there is no lasting change
			if rng.IntN(200) == 0 {
				sample += Phase(rng.IntN(20)) * One
			}
			before := w.n
			w.addSample(at, sample)
			w.still()
			if p.add(at, sample); w.n < min(before, w.n) || w.n != len(p.blocks) { // it dropped blocks
				p.blocks, p.begins = p.blocks[len(p.blocks)-w.n:], p.begins[len(p.begins)-w.n:]
			}
			for events := range 3 {
				require.Equal(t, p.level(events, reach), w.level(events), "seed %d", seed)
			}
		}
	}
}

// still makes the drift zero.
func (w *window) still() {
	w.drift = drift{}
	w.invalidate()
}

// samplesOf adds samples, each in its own block, and returns the level after them.
func samplesOf(w *window, samples ...Phase) Phase {
	at := Phase(0)
	if w.n > 0 {
		at = w.blocks[w.n-1].begin
	}
	for _, s := range samples {
		at += w.length
		w.addSample(at, s*One)
		w.still()
	}
	return w.level(1)
}

func repeated(s Phase, n int) []Phase { return slices.Repeat([]Phase{s}, n) }

func TestRareSamplesDoNotCount(t *testing.T) {
	w := newWindow(16*One, maxBlocks, 6*One)
	samplesOf(&w, repeated(2, 60)...)
	require.Equal(t, 2*One, samplesOf(&w, 50, 50, 2), "one event")
	require.Equal(t, 2*One, samplesOf(&w, repeated(2, 10)...))
	require.Equal(t, 8*One, samplesOf(&w, 50, 2), "two, but few: as far as reach")
	require.Equal(t, 2*One, samplesOf(&w, repeated(2, 115)...), "the first has been dropped")
}

func TestLastingChangesAreFollowed(t *testing.T) {
	w := newWindow(16*One, maxBlocks, 6*One)
	samplesOf(&w, repeated(2, 60)...)
	require.Equal(t, 2*One, samplesOf(&w, 30, 30))
	require.Equal(t, 30*One, samplesOf(&w, 30), "three blocks above all of the others")
	samplesOf(&w, repeated(30, 60)...)
	require.Equal(t, 30*One, samplesOf(&w, 2, 2, 2))
	require.Equal(t, 2*One, samplesOf(&w, 2, 2), "below")
}
