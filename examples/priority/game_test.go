package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/examples/internal/smooth"
)

var firstSeed = flag.Uint64("seed", 1, "the first seed of the plays")

var seeds = flag.Uint64("seeds", 3, "how many of them")

// forSeeds runs a test with several seeds, and prints the command that repeats one of them.
func forSeeds(t *testing.T, test func(t *testing.T, seed uint64)) {
	name, n := t.Name(), *seeds
	if testing.Short() {
		n = 1
	}
	for seed := *firstSeed; seed < *firstSeed+n; seed++ {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Logf("again: go test ./priority -run %s -seed %d -seeds 1", name, seed)
			test(t, seed)
		})
	}
}

// flags returns settings that are parsed like the program's.
func flags(t *testing.T, args ...string) settings {
	s, err := example.Read(append([]string{"-headless"}, args...), t.Output())
	require.NoError(t, err)
	return s
}

// played returns the result of a play to the end.
func played(t *testing.T, s settings) result {
	r, err := playHeadless(context.Background(), s, t.Output())
	require.NoError(t, err)
	return r
}

// Under a cap for a quarter of the updates, each row gets the share of its priority, on a good line
// and on bad ones, and every dot is updated.
//
// Proves: X7
func TestUnderACapSharesFollowPriorities(t *testing.T) {
	forSeeds(t, func(t *testing.T, seed uint64) {
		for _, loss := range []float64{0, 0.2} {
			s := flags(t)
			s.Seed, s.Loss = seed, loss
			r := played(t, s)
			require.NoError(t, r.Verdict())
			assert.InEpsilon(t, 7, r.Rows[6].PerDot/r.Rows[0].PerDot, tolerance)
			assert.Less(t, r.Rows[6].MeanAge, r.Rows[0].MeanAge/4)
			assert.LessOrEqual(t, r.BytesPerS, 1.01*defaultCap)
			all := 0.0
			for i, row := range r.Rows {
				all += row.PerDot * defaultDots / tickRate
				assert.Equal(t, i+1, row.Row)
				assert.InDelta(t, row.Expected, float64(row.Row)/28, 1e-9)
			}
			assert.InDelta(t, 0.25*(1-loss), all/(rowCount*defaultDots), 0.05, "of what changed arrives")
		}
	})
}

// Without a cap every dot is updated in every tick, whatever its priority is.
func TestWithoutACapAllRowsAreEqual(t *testing.T) {
	r := played(t, flags(t, "-cap", "0", "-seconds", "3"))
	require.NoError(t, r.Verdict())
	for _, row := range r.Rows {
		assert.InDelta(t, tickRate, row.PerDot, 0.01)
		assert.Zero(t, row.Oldest)
		assert.InDelta(t, 1.0/rowCount, row.Expected, 1e-9)
	}
}

// A bound on row 1 gives row 1 as many updates as the bound requires, which is more than its
// priority would give it. The other rows share the rest.
//
// Proves: X7
func TestABoundGoesBeforePriorities(t *testing.T) {
	r := played(t, flags(t, "-within", "10"))
	require.NoError(t, r.Verdict())
	assert.LessOrEqual(t, r.Rows[0].Oldest, 10)
	assert.Zero(t, r.Warnings)
	assert.Greater(t, r.Rows[0].Expected, 1.4/28)
	assert.Greater(t, played(t, flags(t)).Rows[0].Oldest, 10, "without the bound they are older")
}

// If the cap is too small for the bound, the server gets an event.
//
// Proves: X7
func TestABoundWithoutRoomRaisesAnEvent(t *testing.T) {
	r := played(t, flags(t, "-within", "1", "-cap", "16000", "-dots", "160"))
	assert.NotZero(t, r.Warnings)
	assert.Positive(t, r.Late)
	assert.ErrorContains(t, r.Verdict(), "dots of row 1 waited for longer than 1 ticks: the cap of 16000 has no room for that bound")
}

// While a client joins, the cap may be too small for a bound that it can keep later. Only later
// events count.
func TestABoundIsJudgedOnceAClientHasJoined(t *testing.T) {
	p, err := newPlay(flags(t, "-within", "2", "-cap", "16000", "-dots", "80", "-seconds", "5"))
	require.NoError(t, err)
	defer p.End()
	require.NoError(t, p.PlayOn(context.Background(), p.step))
	assert.NotZero(t, p.server.Stats().Replication.Overdue)
	assert.Zero(t, p.server.warnings)
	assert.NoError(t, p.result().Verdict())
}

func TestTheSameSeedGivesTheSameRun(t *testing.T) {
	s := flags(t, "-seconds", "2", "-loss", "0.2")
	first := played(t, s)
	assert.Equal(t, first, played(t, s))
	s.Seed++
	assert.NotEqual(t, first.Rows, played(t, s).Rows)
}

func TestWhatTheVerdictFinds(t *testing.T) {
	good := played(t, flags(t))
	for says, spoil := range map[string]func(*result){
		"":                                               func(*result) {},
		"ended before it had all dots":                   func(r *result) { r.Rows = nil },
		"give it more -seconds":                          func(r *result) { r.Seconds = 1 },
		"lower -cap or raise -dots":                      func(r *result) { r.Rows[6].PerDot = 55 },
		"row 3 starved: no update":                       func(r *result) { r.Rows[2].Oldest = 7*6 + tickRate },
		"row 4 has 17.0 % of the updates and":            func(r *result) { r.Rows[3].Share = 0.17 },
		"row 1 has 3.0 % of the updates and":             func(r *result) { r.Rows[0].Share = 0.03 },
		"2 dots of row 1 waited for longer than 0 ticks": func(r *result) { r.Warnings, r.Late = 1, 2 },
	} {
		r := good
		r.Rows = append([]rowReport(nil), good.Rows...)
		spoil(&r)
		if says == "" {
			assert.NoError(t, r.Verdict())
			continue
		}
		assert.ErrorContains(t, r.Verdict(), says)
	}
}

// Interpolation makes the rows that get an update every few ticks smooth.
func TestInterpolatedRowsTurnSmoothly(t *testing.T) {
	forSeeds(t, func(t *testing.T, seed uint64) {
		motion := func(args ...string) smooth.Counts {
			s := flags(t, append(args, "-latency", "60ms", "-jitter", "15ms", "-loss", "0.05")...)
			s.Seed = seed
			return played(t, s).Rows[rowCount-1].Motion
		}
		on, off := motion(), motion("-interpolate=false")
		t.Log("row 7, interpolated:", on, "as it arrives:", off)
		assert.Less(t, on.Stood+on.Jumped, on.Frames/50)
		assert.Greater(t, off.Stood+off.Jumped, off.Frames/2)
	})
}

// Angles are blended the short way around.
func TestATurnGoesTheShortWayAround(t *testing.T) {
	a, b := Turn{Angle: 3}, Turn{Angle: -3}
	assert.InDelta(t, 3, turnBetween(a, b, 0).Angle, 1e-6)
	assert.InDelta(t, math.Pi, math.Abs(float64(turnBetween(a, b, 0.5).Angle)), 1e-6)
	assert.InDelta(t, -3, turnBetween(a, b, 1).Angle, 1e-6)
}
