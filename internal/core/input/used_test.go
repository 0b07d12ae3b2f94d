package input_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/input"
)

// ran is a simple model of the inputs with which ticks ran. Ticks before it began, and since it was
// reset, ran without inputs.
type ran struct {
	stream *input.Reader
	now    entangle.Tick
	with   map[entangle.Tick]hands
	low    entangle.Tick // earlier ticks did not run, or ran too long ago
}

func (r *ran) take(to entangle.Tick) {
	if by := to.Sub(r.now); by > 1 || to.Before(r.low) {
		r.low = to
	}
	v, _ := r.stream.Take(to)
	r.with[to], r.now = handsOf(v), to
	if low := to - entangle.Tick(r.stream.Back()); r.low.Before(low) {
		r.low = low
	}
}

// again reruns the ticks up to now, some of which the clock may have skipped.
func (r *ran) again(from, to entangle.Tick) {
	for t := from; !to.Before(t); t++ {
		v, _ := r.stream.Rerun(t)
		r.with[t] = handsOf(v)
	}
	if r.now.Before(to) {
		r.now = to
	}
	if r.low = later(r.low, r.now-entangle.Tick(r.stream.Back())); from.Before(r.low) {
		r.low = later(from, r.now-entangle.Tick(r.stream.Back()))
	}
}

func later(t, u entangle.Tick) entangle.Tick {
	if t.Before(u) {
		return u
	}
	return t
}

// revised is a simple version of Revised.
func (r *ran) revised(after, now entangle.Tick) (entangle.Tick, bool) {
	for t := r.low; !r.now.Before(t) && !now.Before(t); t++ {
		if v, _ := r.stream.At(t); after.Before(t) && handsOf(v) != r.with[t] {
			return t, true
		}
	}
	return 0, false
}

// Revised finds the first tick that ran with another input than is known now, and nothing if there
// is none, whatever inputs arrive, are late, missing or of another epoch, and wherever the clock
// jumps. After a rerun there is none.
//
// Proves: B21
func TestATickThatRanWithAnotherInputIsFound(t *testing.T) {
	run(t, func(t *testing.T, rng *rand.Rand) {
		start := entangle.Tick(rng.Uint32N(400)) - 200
		stream := newFollower(start)
		r := &ran{stream: stream, now: start, with: map[entangle.Tick]hands{}, low: start - entangle.Tick(stream.Back())}
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
				stream.Reset(r.now)
				clear(r.with)
				r.low = r.now - entangle.Tick(stream.Back())
			case by == 33:
				epoch = (epoch + 1) % 8
			case by == 34:
				r.again(r.now-entangle.Tick(rng.IntN(40)), r.now+entangle.Tick(rng.IntN(10)))
			}
			if rng.IntN(3) == 0 {
				l := plainStream{epoch: epoch, newest: r.now + 5 - entangle.Tick(rng.IntN(30)), words: drawWords(rng)}
				_, err := read(plainFrame(r.now, nil, l), r.now, stream)
				require.NoError(t, err)
			}
			after, now := r.now-entangle.Tick(stream.Back()), r.now
			want, wrong := r.revised(after, now)
			tick, ok := stream.Revised(after, now)
			require.Equal(t, wrong, ok, "of tick %d, now %d; found %d", want, r.now, tick)
			require.Equal(t, want, tick, "now %d", r.now)
			for ; ok && !r.now.Before(tick); tick++ {
				v, _ := stream.Rerun(tick)
				r.with[tick] = handsOf(v)
				found++
			}
		}
		require.Positive(t, found)
	})
}

// Only ticks within the given range count, and each change is returned once.
//
// Proves: B21
func TestEachRevisionIsReturnedOnce(t *testing.T) {
	stream := newFollower(99)
	for tick := entangle.Tick(100); tick <= 110; tick++ {
		stream.Take(tick)
	}
	hear(t, stream, 104, val(hands{X: 1}))
	tick, ok := stream.Revised(90, 110)
	require.True(t, ok)
	require.EqualValues(t, 104, tick)
	_, ok = stream.Revised(90, 110)
	require.False(t, ok, "it was returned already")

	hear(t, stream, 106, val(hands{X: 2}))
	tick, _ = stream.Revised(107, 110)
	require.EqualValues(t, 108, tick)
	hear(t, stream, 107, val(hands{X: 3}))
	_, ok = stream.Revised(90, 106)
	require.False(t, ok, "the clock has not reached it")
}
