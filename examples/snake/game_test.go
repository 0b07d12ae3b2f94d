package main

import (
	"flag"
	"fmt"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/entangle-ecs/entangle/examples/internal/stage"
)

var firstSeed = flag.Uint64("seed", 1, "the first seed of the plays")

var seeds = flag.Uint64("seeds", 3, "how many of them")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// forSeeds runs a test with several seeds, and prints the command that repeats one of them.
func forSeeds(t *testing.T, test func(t *testing.T, seed uint64)) {
	name := t.Name()
	for seed := *firstSeed; seed < *firstSeed+*seeds; seed++ {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Logf("again: go test ./snake -run %s -seed %d -seeds 1", name, seed)
			test(t, seed)
		})
	}
}

// flags returns settings that are parsed like the program's.
func flags(t *testing.T, args ...string) settings {
	s, err := example.Read(args, t.Output())
	require.NoError(t, err)
	return s
}

// On the server a snake is whole at every tick, whatever happens to it, so that only replication
// can tear it.
func TestTheServersSnakesAreAlwaysWhole(t *testing.T) {
	forSeeds(t, func(t *testing.T, seed uint64) {
		s := flags(t, "-segments", "5")
		s.Seed = seed
		p, err := newPlay(s)
		require.NoError(t, err)
		watcher := newWatcher(p.Worlds[0])
		for number := range uint8(snakeCount) {
			lengths, heads := map[int]bool{}, map[ecs.Entity]bool{}
			for range 20 * tickRate {
				p.Frame()
				parts := watcher.snake(number)
				require.True(t, whole(parts), "%v", parts)
				for i, part := range parts[1:] {
					require.Equal(t, parts[i].entity, part.Ahead)
				}
				lengths[len(parts)], heads[parts[0].entity] = true, true
			}
			assert.Greater(t, len(lengths), 2, "it grows and shrinks")
			assert.Greater(t, len(heads), 2, "it gets new heads")
		}
	})
}

// On a bad line, a snake without a group is torn in most frames, and the check notices it.
func TestWithoutAGroupSnakesAreTorn(t *testing.T) {
	forSeeds(t, func(t *testing.T, seed uint64) {
		s := flags(t, "-apart", "-seconds", "5")
		s.Seed = seed
		r, err := playHeadless(t.Context(), s)
		require.NoError(t, err)
		assert.Greater(t, r.UngroupedTorn, r.Frames/4)
		assert.Greater(t, r.GroupedTorn, r.Frames/4)
		assert.ErrorContains(t, r.Verdict(), "the snake with a group was torn in")
	})
}

// On a good line no snake is torn, because each frame's changes arrive together.
func TestOnAGoodLineNothingIsTorn(t *testing.T) {
	s := flags(t, "-apart", "-seconds", "5")
	s.Line = stage.Line{}
	r, err := playHeadless(t.Context(), s)
	require.NoError(t, err)
	assert.Zero(t, r.GroupedTorn+r.UngroupedTorn)
	assert.NotZero(t, r.Frames)
	assert.ErrorContains(t, r.Verdict(), "this run shows nothing")
}

func TestTheSameSeedGivesTheSameRun(t *testing.T) {
	s := flags(t, "-seconds", "2")
	first, err := playHeadless(t.Context(), s)
	require.NoError(t, err)
	again, err := playHeadless(t.Context(), s)
	require.NoError(t, err)
	assert.Equal(t, first, again)
	s.Seed++
	other, err := playHeadless(t.Context(), s)
	require.NoError(t, err)
	assert.NotEqual(t, first.UngroupedTorn, other.UngroupedTorn)
}

func TestWhatCountsAsTorn(t *testing.T) {
	w := ecs.NewWorld()
	one, two := w.NewEntity(), w.NewEntity()
	parts := func(places ...Place) (all []part) {
		for i, p := range places {
			all = append(all, part{Segment: Segment{Number: uint8(i)}, Place: p})
		}
		return all
	}
	follow := func(ahead ecs.Entity) []part {
		all := parts(Place{1, 1}, Place{2, 1})
		all[0].entity, all[1].Ahead = one, ahead
		return all
	}
	for name, c := range map[string]struct {
		parts []part
		whole bool
	}{
		"a step apart":        {parts(Place{3, 1}, Place{2, 1}, Place{2, 2}), true},
		"two steps apart":     {parts(Place{3, 1}, Place{1, 1}), true},
		"around a corner":     {parts(Place{3, 1}, Place{2, 2}), true},
		"in one cell":         {parts(Place{3, 1}, Place{3, 1}), false},
		"three steps apart":   {parts(Place{3, 1}, Place{0, 1}), false},
		"without a head":      {parts(Place{3, 1}, Place{2, 1})[1:], false},
		"with two heads":      {append(parts(Place{3, 1}), parts(Place{2, 1})...), false},
		"a link to the head":  {follow(one), true},
		"a link to elsewhere": {follow(two), false},
	} {
		assert.Equal(t, c.whole, whole(c.parts), name)
	}
}

// On a bad line, the interpolated snake steps evenly. As it arrives, it rests and jumps.
func TestAnInterpolatedSnakeStepsEvenly(t *testing.T) {
	forSeeds(t, func(t *testing.T, seed uint64) {
		uneven := func(args ...string) float64 {
			s := flags(t, append(args, "-latency", "60ms", "-jitter", "15ms", "-loss", "0.05", "-seconds", "60")...)
			s.Seed = seed
			r, err := playHeadless(t.Context(), s)
			require.NoError(t, err)
			require.NotZero(t, r.Pace.Steps)
			return float64(r.Pace.Late+r.Pace.Early) / float64(r.Pace.Steps)
		}
		on, off := uneven(), uneven("-interpolate=false")
		t.Logf("uneven steps: %.3f interpolated, %.3f as they arrive", on, off)
		assert.Less(t, on, 0.05)
		assert.Greater(t, off, 2*on)
	})
}
