package budget_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle/internal/core/budget"
)

// Whatever comes when, no more is taken than the rates allow, what is saved up, and the work of
// one packet.
//
// Proves: Z21
func TestAnIntakeTakesNoMoreThanItsRates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		packets, work := rapid.IntRange(1, 2000).Draw(t, "packets"), rapid.IntRange(1, 100_000).Draw(t, "work")
		in, begin := budget.NewIntake(packets, work), time.Unix(100, 0)
		now, taken, done, most := begin, 0, 0, 0
		for range rapid.IntRange(1, 3000).Draw(t, "packets sent") {
			now = now.Add(time.Duration(rapid.SampledFrom([]int{0, 0, 1, 17}).Draw(t, "ms")) * time.Millisecond)
			if in.Take(now) != budget.Take {
				continue
			}
			units := rapid.IntRange(0, 1000).Draw(t, "units")
			in.Spend(units)
			taken, done, most = taken+1, done+units, max(most, units)
			saved := (now.Sub(begin) + budget.IntakeSaved).Seconds() * 1.001 // periods are whole nanoseconds
			require.LessOrEqual(t, float64(taken), saved*float64(packets)+1)
			require.LessOrEqual(t, float64(done), saved*float64(work)+float64(most)+1)
		}
	})
}

// A peer that sends a quarter of its rates is never refused, though all of five seconds comes at
// once, again and again.
//
// Proves: Z21
func TestAnIntakeTakesWhatAStallHeldBack(t *testing.T) {
	in, now := budget.NewIntake(400, 4000), time.Unix(100, 0)
	for range 20 {
		for range 5 * 400 / 4 {
			require.Equal(t, budget.Take, in.Take(now))
			in.Spend(10)
		}
		now = now.Add(5 * time.Second)
	}
}

// A peer that goes on is parted from after five seconds, and not if it has a pause.
//
// Proves: Z21
func TestAnIntakePartsFromThoseWhoGoOn(t *testing.T) {
	for _, work := range []bool{false, true} {
		in, now := budget.NewIntake(100, 1000), time.Unix(100, 0)
		dropped := time.Duration(0)
		second := func() (parted bool) {
			for range 100 {
				now = now.Add(10 * time.Millisecond)
				for range 3 {
					switch in.Take(now) {
					case budget.Take:
						if work {
							in.Spend(1000)
						}
					case budget.Drop:
						dropped++
					case budget.Part:
						return true
					}
				}
			}
			return false
		}
		for range 4 {
			require.False(t, second())
		}
		now = now.Add(time.Second * 3 / 2)
		seconds := 0
		for ; !second(); seconds++ {
			require.Less(t, seconds, 10)
		}
		assert.GreaterOrEqual(t, seconds, 4)
		assert.NotZero(t, dropped)
	}
	free, now := budget.NewIntake(-1, 0), time.Unix(100, 0)
	for range 100_000 {
		require.Equal(t, budget.Take, free.Take(now))
		free.Spend(1 << 20)
	}
}

// What is saved up, and for how long a peer may go on, is exactly what the constants say.
//
// Proves: Z21
func TestAnIntakeIsExactAtItsBounds(t *testing.T) {
	in, begin := budget.NewIntake(400, 0), time.Unix(100, 0)
	for range 400 * budget.IntakeSaved / time.Second {
		require.Equal(t, budget.Take, in.Take(begin))
	}
	require.Equal(t, budget.Drop, in.Take(begin))

	in = budget.NewIntake(0, 1000)
	require.Equal(t, budget.Take, in.Take(begin))
	in.Spend(1000 * 3600)
	const step = budget.IntakePatience / 10
	for at := time.Duration(0); at < budget.IntakePatience; at += step {
		require.Equal(t, budget.Drop, in.Take(begin.Add(at)), at)
	}
	require.Equal(t, budget.Drop, in.Take(begin.Add(budget.IntakePatience-1)))
	require.Equal(t, budget.Part, in.Take(begin.Add(budget.IntakePatience)))
}
