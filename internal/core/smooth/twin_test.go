package smooth

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A track shows the same values as a simple model with a few numbers for each entity, for any order
// of its rows and any corrections.
func TestATrackEqualsPlainTwin(t *testing.T) {
	for seed := range uint64(60) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			newTwins(t, seed).run(120)
			if t.Failed() {
				t.Logf("again: go test ./internal/core/smooth -run 'TestATrackEqualsPlainTwin/seed_%d$'", seed)
			}
		})
	}
}

const twinOver = 80 * time.Millisecond

// plain is the model of one entity.
type plain struct {
	truth   float64
	samples []float64 // at the ends of ticks
	out     bool
	offset  float64 // of the displayed value from the correct one, at the time of the correction
	since   time.Time
}

// ends returns the two latest samples.
func (p *plain) ends() []float64 { return slices.Clone(p.samples[len(p.samples)-2:]) }

// blend returns the displayed value of the two latest samples.
func (p *plain) blend(share float64) float64 {
	n := len(p.samples)
	return mix(p.samples[n-2], p.samples[n-1], share)
}

// left returns what remains of the offset.
func (p *plain) left(now time.Time) float64 {
	rest := max(0, 1-float64(now.Sub(p.since))/float64(twinOver))
	return p.offset * rest * rest
}

// twins is a track and its model.
type twins struct {
	t     *testing.T
	r     *rand.Rand
	track *Track
	all   []*plain // by row
	world []byte
	now   time.Time
	share float64
}

func newTwins(t *testing.T, seed uint64) *twins {
	k := kind()
	k.Over = twinOver
	return &twins{t: t, r: rand.New(rand.NewPCG(seed, 2)), track: New(k), now: at(0)}
}

// value returns one of a few values, so that several entities have the same.
func (w *twins) value() float64 { return float64(w.r.IntN(4)) }

func (w *twins) run(frames int) {
	for range frames {
		w.now = w.now.Add(time.Duration(w.r.IntN(30)) * time.Millisecond)
		w.share = w.r.Float64()
		w.restore()
		if w.r.IntN(4) == 0 {
			w.correct()
		}
		for range w.r.IntN(3) {
			w.tick()
		}
		w.show()
	}
}

// shuffle adds, removes and reorders rows.
func (w *twins) shuffle() {
	if w.r.IntN(3) > 0 {
		return
	}
	var from []int32
	var all []*plain
	for row, p := range w.all {
		if w.r.IntN(12) > 0 {
			from, all = append(from, int32(row)), append(all, p)
		}
	}
	for range w.r.IntN(3) {
		from, all = append(from, -1), append(all, &plain{truth: w.value()})
	}
	if w.r.IntN(2) == 0 {
		w.r.Shuffle(len(from), func(i, j int) {
			from[i], from[j] = from[j], from[i]
			all[i], all[j] = all[j], all[i]
		})
	}
	world := make([]byte, 8*len(all))
	for row, old := range from {
		if old < 0 {
			put(world[8*row:], all[row].truth)
		} else {
			copy(world[8*row:8*row+8], w.world[8*old:])
		}
	}
	w.track.Arrange(from)
	w.all, w.world = all, world
	for row, p := range w.all {
		if from[row] < 0 && w.r.IntN(8) == 0 {
			p.out = true
			w.track.Exclude(row)
		}
	}
}

func (w *twins) restore() {
	w.shuffle()
	w.track.Restore(0, w.world)
	w.track.Restored()
	for row, p := range w.all {
		require.Equal(w.t, p.truth, number(w.world[8*row:]), "row %d", row)
	}
}

// correct recomputes the ticks of some rows.
func (w *twins) correct() {
	w.track.Keep()
	was := map[*plain]plain{}
	for _, p := range w.all {
		if len(p.samples) >= 2 {
			was[p] = plain{samples: p.ends()}
		}
	}
	w.shuffle()
	if len(w.all) == 0 {
		w.track.Ease(w.now, w.share)
		return
	}
	before := make([]byte, len(w.world))
	for row, p := range w.all {
		if n := len(p.samples); n >= 2 && w.r.IntN(2) == 0 {
			p.samples[n-2], p.samples[n-1] = w.value(), w.value()
			p.truth = p.samples[n-1]
			put(w.world[8*row:], p.truth)
		}
		w.again(row, before[8*row:])
	}
	for row, p := range w.all {
		if n := len(p.samples); n >= 2 {
			w.track.Before(row, before[8*row:8*row+8])
			w.track.Amend(row, column(p.samples[n-1]))
			if old, ok := was[p]; ok && !p.out && !slices.Equal(old.samples, p.ends()) {
				p.offset, p.since = old.blend(w.share)+p.left(w.now)-p.blend(w.share), w.now
			}
		}
	}
	w.track.Ease(w.now, w.share)
}

// again returns the recomputed sample of the tick before the latest.
func (w *twins) again(row int, into []byte) {
	if p := w.all[row]; len(p.samples) >= 2 {
		put(into, p.samples[len(p.samples)-2])
	}
}

func (w *twins) tick() {
	w.shuffle()
	if w.track.Open() {
		w.sample()
	}
	w.track.Advance()
	for row, p := range w.all {
		p.truth = w.value()
		put(w.world[8*row:], p.truth)
	}
}

func (w *twins) sample() {
	w.track.Sample(0, w.world)
	w.track.Sampled()
	for _, p := range w.all {
		p.samples = append(p.samples, p.truth)
	}
}

func (w *twins) show() {
	w.shuffle()
	if w.track.Open() {
		w.sample()
	} else {
		w.track.Peek(0, w.world)
	}
	w.track.Show(w.now, w.share)
	w.track.Put(0, w.world)
	for row, p := range w.all {
		want := p.truth
		if len(p.samples) >= 2 && !p.out {
			want = p.blend(w.share) + p.left(w.now)
		}
		require.InDelta(w.t, want, number(w.world[8*row:]), 1e-9, "row %d", row)
	}
}
