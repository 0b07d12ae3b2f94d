package input_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/input"
)

// ran is what the ticks of a lane ran with, as plain as can be. Those before it began, and
// after it was reset, ran with nothing.
type ran struct {
	lane *input.Reader
	now  entangle.Tick
	with map[entangle.Tick]hands
	low  entangle.Tick // ticks before did not run, or too long ago
}

func (r *ran) take(to entangle.Tick) {
	if by := to.Sub(r.now); by > 1 || to.Before(r.low) {
		r.low = to
	}
	v, _ := r.lane.Take(to)
	r.with[to], r.now = handsOf(v), to
	if low := to - entangle.Tick(r.lane.Back()); r.low.Before(low) {
		r.low = low
	}
}

// again is for ticks up to now: some that the clock went past may be among them.
func (r *ran) again(from, to entangle.Tick) {
	for t := from; !to.Before(t); t++ {
		v, _ := r.lane.Again(t)
		r.with[t] = handsOf(v)
	}
	if r.now.Before(to) {
		r.now = to
	}
	if r.low = later(r.low, r.now-entangle.Tick(r.lane.Back())); from.Before(r.low) {
		r.low = later(from, r.now-entangle.Tick(r.lane.Back()))
	}
}

func later(t, u entangle.Tick) entangle.Tick {
	if t.Before(u) {
		return u
	}
	return t
}

// revised is the plain twin of Revised.
func (r *ran) revised(after, now entangle.Tick) (entangle.Tick, bool) {
	for t := r.low; !r.now.Before(t) && !now.Before(t); t++ {
		if v, _ := r.lane.At(t); after.Before(t) && handsOf(v) != r.with[t] {
			return t, true
		}
	}
	return 0, false
}

// Whatever comes, is late, is left out or belongs to another epoch, and wherever the clock
// jumps: the first tick that ran with another input than is known by now is found, and
// nothing when there is none. Once it ran again, all is well.
//
// Proves: B21
func TestATickThatRanWithAnotherInputIsFound(t *testing.T) {
	run(t, func(t *testing.T, rng *rand.Rand) {
		start := entangle.Tick(rng.Uint32N(400)) - 200
		lane := newFollower(start)
		r := &ran{lane: lane, now: start, with: map[entangle.Tick]hands{}, low: start - entangle.Tick(lane.Back())}
		epoch, found := 0, 0
		for range 300 {
			switch by := rng.IntN(40); {
			case by < 30:
				r.take(r.now + 1)
			case by == 30:
				r.take(r.now + entangle.Tick(rng.IntN(60)) - 30)
			case by == 31:
				r.take(r.now + entangle.Tick(rng.IntN(1000)) - 500)
			case by == 32:
				lane.Reset(r.now)
				clear(r.with)
				r.low = r.now - entangle.Tick(lane.Back())
			case by == 33:
				epoch = (epoch + 1) % 8
			case by == 34:
				r.again(r.now-entangle.Tick(rng.IntN(40)), r.now+entangle.Tick(rng.IntN(10)))
			}
			if rng.IntN(3) == 0 {
				l := plainLane{epoch: epoch, newest: r.now + 5 - entangle.Tick(rng.IntN(30)), words: drawWords(rng)}
				_, err := read(plainFrame(r.now, nil, l), r.now, lane)
				require.NoError(t, err)
			}
			after, now := r.now-entangle.Tick(lane.Back()), r.now
			want, wrong := r.revised(after, now)
			tick, ok := lane.Revised(after, now)
			require.Equal(t, wrong, ok, "of tick %d, now %d; found %d", want, r.now, tick)
			require.Equal(t, want, tick, "now %d", r.now)
			for ; ok && !r.now.Before(tick); tick++ {
				v, _ := lane.Again(tick)
				r.with[tick] = handsOf(v)
				found++
			}
		}
		require.Positive(t, found)
	})
}

// Only ticks between two that are given count, and each time is told once.
//
// Proves: B21
func TestWhatRanWithAnotherInputIsToldOnce(t *testing.T) {
	lane := newFollower(99)
	for tick := entangle.Tick(100); tick <= 110; tick++ {
		lane.Take(tick)
	}
	hear(t, lane, 104, said(hands{X: 1}))
	tick, ok := lane.Revised(90, 110)
	require.True(t, ok)
	require.EqualValues(t, 104, tick)
	_, ok = lane.Revised(90, 110)
	require.False(t, ok, "whoever was told knows")

	hear(t, lane, 106, said(hands{X: 2}))
	tick, _ = lane.Revised(107, 110)
	require.EqualValues(t, 108, tick)
	hear(t, lane, 107, said(hands{X: 3}))
	_, ok = lane.Revised(90, 106)
	require.False(t, ok, "the clock is not there yet")
}
