package budget_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle/internal/core/budget"
)

// units returns the units that a rate adds in a time.
func units(rate int, d time.Duration) float64 { return float64(rate) * d.Seconds() }

// Whenever packets arrive, and from however many peers, no peer gets more than its rate, its
// savings and one packet. No frame costs more than the shares of all peers for its time, the common
// part of their savings, and one packet of each.
//
// Proves: Z21
func TestAnIntakeTakesNoMoreThanItsRates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const most = 1000 // units of a packet
		rate, begin := rapid.IntRange(most, 100_000).Draw(t, "rate"), time.Unix(100, 0)
		in, quotas := budget.NewIntake(rate), make([]budget.Quota, rapid.IntRange(1, 5).Draw(t, "peers"))
		in.Begin(begin)
		now, done := begin, make([]int, len(quotas))
		for range rapid.IntRange(1, 200).Draw(t, "frames") {
			past := time.Duration(rapid.SampledFrom([]int{1, 17, 17, 100, 5000}).Draw(t, "ms")) * time.Millisecond
			now = now.Add(past)
			in.Begin(now)
			frame := 0
			for range rapid.IntRange(0, 60).Draw(t, "packets") {
				n := rapid.IntRange(0, len(quotas)-1).Draw(t, "peer")
				if in.Take(&quotas[n]) != budget.Take {
					continue
				}
				cost := rapid.IntRange(0, most).Draw(t, "units")
				in.Spend(&quotas[n], cost)
				frame, done[n] = frame+cost, done[n]+cost
				require.LessOrEqual(t, float64(done[n]), units(rate, now.Sub(begin)+budget.IntakeSaved)+most+1)
			}
			share := units(rate, min(past, budget.IntakeFrame)) * float64(len(quotas))
			require.LessOrEqual(t, float64(frame), share+units(rate, budget.IntakeShared)+float64(len(quotas)*most))
		}
	})
}

// In one frame all peers together use a bounded part of their savings. Even then, packets of a peer
// that is within its own share are read. In the next frame the packets of all peers are read.
//
// Proves: Z21
func TestSavingsOfAllAreBoundedWithinAFrame(t *testing.T) {
	const rate, peers = 10_000, 50
	in, now := budget.NewIntake(rate), time.Unix(100, 0)
	in.Begin(now)
	var quotas [peers]budget.Quota
	for n := range quotas {
		quotas[n] = in.Admit()
	}
	for range 50 {
		now = now.Add(20 * time.Millisecond)
		in.Begin(now)
	}
	took := 0
	for n := range quotas[1:] {
		for in.Take(&quotas[n+1]) == budget.Take {
			in.Spend(&quotas[n+1], 10)
			took += 10
		}
	}
	assert.InDelta(t, units(rate, budget.IntakeShared)+(peers-1)*200, took, 10, "what a peer's own share pays for takes nothing of that")
	for range 20 {
		require.Equal(t, budget.Take, in.Take(&quotas[0]), "within its share")
		in.Spend(&quotas[0], 10)
	}
	require.Equal(t, budget.Drop, in.Take(&quotas[0]))
	now = now.Add(20 * time.Millisecond)
	in.Begin(now)
	for range 100 {
		require.Equal(t, budget.Take, in.Take(&quotas[0]), "there are savings of it yet")
		in.Spend(&quotas[0], 10)
	}
}

// After an end stood still for a second, it reads a second's worth of packets of every peer,
// however many peers there are. After a longer time it reads no more.
//
// Proves: Z21
func TestAnEndThatStoodStillTakesAsMuchInOfEverybody(t *testing.T) {
	for _, still := range []time.Duration{time.Second, 20 * time.Second} {
		const rate = 1000
		in, now := budget.NewIntake(rate), time.Unix(100, 0)
		in.Begin(now)
		in.Begin(now.Add(still))
		for range 200 {
			var q budget.Quota
			for range rate / 10 {
				require.Equal(t, budget.Take, in.Take(&q))
				in.Spend(&q, 10)
			}
		}
		var q budget.Quota
		for in.Take(&q) == budget.Take {
			in.Spend(&q, 10)
		}
		assert.LessOrEqual(t, in.Left(&q), 0)
	}
}

// A peer that sends a tenth of its rate is never refused, even if the packets of five seconds
// arrive at once, again and again.
//
// Proves: Z21
func TestAnIntakeTakesWhatAStallHeldBack(t *testing.T) {
	in, now := budget.NewIntake(4000), time.Unix(100, 0)
	var q budget.Quota
	for n := range 200 * 60 {
		now = now.Add(time.Second / 60)
		in.Begin(now)
		if n%300 != 299 {
			continue
		}
		for range 200 {
			require.Equal(t, budget.Take, in.Take(&q))
			in.Spend(&q, 10)
		}
	}
}

// A peer may spend only savings beyond half of their maximum on work for others. With less it may
// spend nothing.
//
// Proves: Z21
func TestWorkForOthersLeavesAPeerHalfOfItsSavings(t *testing.T) {
	const rate = 10_000
	in, now := budget.NewIntake(rate), time.Unix(100, 0)
	in.Begin(now)
	q := in.Admit()
	half := int(units(rate, budget.IntakeSaved) / 2)
	assert.Equal(t, half, in.ForOthers(&q), "it has just come")
	now = now.Add(10 * time.Millisecond)
	in.Begin(now)
	assert.Equal(t, half+rate/100, in.ForOthers(&q))
	for in.ForOthers(&q) > 0 {
		in.Spend(&q, in.ForOthers(&q))
	}
	assert.Equal(t, half, in.Left(&q))
	for in.Take(&q) == budget.Take {
		in.Spend(&q, 10)
	}
	for in.Left(&q) < half {
		require.LessOrEqual(t, in.ForOthers(&q), 0)
		now = now.Add(budget.IntakeSaved / 20)
		in.Begin(now)
	}
	now = now.Add(budget.IntakeSaved / 20)
	in.Begin(now)
	assert.Positive(t, in.ForOthers(&q))
	free := budget.NewIntake(-1)
	assert.Equal(t, math.MaxInt, free.ForOthers(&q))
}

// The cost of a packet beyond the debt of a second is forgotten: later packets of the peer are read.
//
// Proves: Z21
func TestADebtOfWorkIsBounded(t *testing.T) {
	in, now := budget.NewIntake(1000), time.Unix(100, 0)
	in.Begin(now)
	q := in.Admit()
	for range 3 {
		require.Equal(t, budget.Take, in.Take(&q))
		for range 3 {
			in.Spend(&q, math.MaxInt)
		}
		require.Equal(t, -1000, in.Left(&q))
		for range 10 {
			require.LessOrEqual(t, in.Left(&q), 0)
			now = now.Add(100100 * time.Microsecond)
			in.Begin(now)
		}
	}
}

// A peer is disconnected once it has exceeded its quota for five seconds in all, even with pauses
// in between. A peer that exceeds it for a moment from time to time is not disconnected.
//
// Proves: Z21
func TestAnIntakeDisconnectsPeersThatExceedTheirQuotaForLong(t *testing.T) {
	for _, c := range []struct {
		name         string
		flood, pause int // frames
		parted       bool
	}{
		{"all the time", 1, 0, true},
		{"a second of two", 60, 60, true},
		{"nearly a second, and a pause of more than one", 55, 65, true},
		{"a frame of two", 1, 1, true},
		{"a second of five", 60, 240, true},
		{"a frame of ten seconds", 1, 600, false},
		{"a second of thirty", 60, 1740, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			in, now := budget.NewIntake(1000), time.Unix(100, 0)
			var q budget.Quota
			over, parted := time.Duration(0), false
			for n := 0; n < 600*60 && !parted; n++ {
				now = now.Add(time.Second / 60)
				in.Begin(now)
				if n%(c.flood+c.pause) >= c.flood {
					continue
				}
				dropped := false
				for range 200 {
					switch in.Take(&q) {
					case budget.Take:
						in.Spend(&q, 10)
					case budget.Drop:
						dropped = true
					case budget.Part:
						parted = true
					}
				}
				if dropped {
					over += time.Second / 60
				}
			}
			assert.Equal(t, c.parted, parted)
			assert.NotZero(t, over)
			if c.pause == 0 {
				assert.InDelta(t, budget.IntakePatience, over, float64(time.Second/30), "nothing makes up for it meanwhile")
			}
			if parted {
				assert.GreaterOrEqual(t, over, budget.IntakePatience-time.Second/30)
			}
		})
	}
	free := budget.NewIntake(-1)
	var q budget.Quota
	free.Begin(time.Unix(100, 0))
	for range 100_000 {
		require.Equal(t, budget.Take, free.Take(&q))
		free.Spend(&q, 1<<20)
	}
}

// The highest rate does not overflow, even after a long time.
func TestTheFastestIntakeDoesNotOverflow(t *testing.T) {
	in, now := budget.NewIntake(math.MaxInt), time.Unix(100, 0)
	in.Begin(now)
	q := in.Admit()
	for range 3 {
		now = now.Add(200 * 365 * 24 * time.Hour / 10)
		in.Begin(now)
		now = now.Add(time.Second)
		in.Begin(now)
		require.Positive(t, in.Left(&q))
		require.LessOrEqual(t, in.Left(&q), 2*budget.MaxRate)
		in.Spend(&q, math.MaxInt)
		require.Equal(t, -budget.MaxRate, in.Left(&q))
	}
}

// A quota is restored once it equals a new one: once spent units were saved up again, and a debt
// was paid. Until then it is kept for a peer that has left, and grows with time as if the peer had
// stayed.
//
// Proves: Z21
func TestAQuotaIsRestoredByTimeAlone(t *testing.T) {
	const rate = 10_000
	in, now := budget.NewIntake(rate), time.Unix(100, 0)
	in.Begin(now)
	fresh := in.Admit()
	assert.True(t, in.Restored(&fresh))
	q := in.Admit()
	in.Spend(&q, int(rate*budget.IntakeSaved/time.Second)+rate/10)
	for range 60 {
		require.False(t, in.Restored(&q))
		now = now.Add(10 * time.Millisecond)
		in.Begin(now)
	}
	assert.True(t, in.Restored(&q))

	for in.Take(&q) == budget.Take {
		in.Spend(&q, 10)
	}
	beyond := time.Duration(0)
	for beyond < 2*time.Second {
		now, beyond = now.Add(10*time.Millisecond), beyond+10*time.Millisecond
		in.Begin(now)
		for in.Take(&q) == budget.Take {
			in.Spend(&q, 10)
		}
	}
	now = now.Add(5 * time.Second)
	in.Begin(now)
	assert.False(t, in.Restored(&q), "saved up by now, and half of the two seconds is left")
	for range 30 {
		now = now.Add(time.Second)
		in.Begin(now)
	}
	assert.True(t, in.Restored(&q))
	free := budget.NewIntake(-1)
	none := free.Admit()
	free.Spend(&none, 1000)
	assert.True(t, free.Restored(&none))
}

// If a clock is set back or forward, no peer loses its rate: later packets are read.
//
// Proves: Z21
func TestASetClockCostsNoPeerItsRate(t *testing.T) {
	for _, step := range []time.Duration{-time.Hour, time.Hour} {
		in, now := budget.NewIntake(10_000), time.Unix(100_000, 0)
		in.Begin(now)
		q := in.Admit()
		for n := range 60 * 60 {
			now = now.Add(time.Second / 60)
			if n == 600 {
				now = now.Add(step)
			}
			in.Begin(now)
			for range 8 { // half of the rate
				require.Equal(t, budget.Take, in.Take(&q), n)
				in.Spend(&q, 10)
			}
		}
	}
}

// A peer that leaves with a debt pays it while it is away, as if it had stayed: in a second it
// earns the debt of a second, and after that its savings grow.
//
// Proves: Z21
func TestADebtIsPaidByTheTimeAway(t *testing.T) {
	const rate = 1000
	in, now := budget.NewIntake(rate), time.Unix(100, 0)
	in.Begin(now)
	away, stayed := in.Admit(), in.Admit()
	in.Spend(&away, math.MaxInt)
	in.Spend(&stayed, math.MaxInt)
	for range 200 {
		now = now.Add(10 * time.Millisecond)
		in.Begin(now)
		in.Left(&stayed)
		was := away
		require.InDelta(t, in.Left(&stayed), in.Left(&was), 1)
	}
	assert.True(t, in.Restored(&away))
}

// A peer that connects in the frame after an end stood still has its share of that time, like those
// that were connected before.
//
// Proves: Z21
func TestAPeerThatConnectsAfterAStallHasItsShare(t *testing.T) {
	const rate = 1000
	in, now := budget.NewIntake(rate), time.Unix(100, 0)
	in.Begin(now)
	there := in.Admit()
	in.Begin(now.Add(time.Second))
	comes := in.Admit()
	assert.Equal(t, in.Left(&there), in.Left(&comes))
	assert.Equal(t, int(units(rate, time.Second+budget.IntakeSaved)), in.Left(&comes))
}
