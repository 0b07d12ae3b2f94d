package main

import (
	"flag"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/examples/internal/program"
)

var seed = flag.Uint64("seed", 1, "where chance starts")

// asked returns the settings of a run without a terminal, with the given flags.
func asked(t *testing.T, args ...string) settings {
	t.Helper()
	s, err := example.Read(append([]string{"-headless"}, args...), t.Output())
	require.NoError(t, err)
	return s
}

// played plays to the end and returns the result.
func played(t *testing.T, s settings) result {
	t.Helper()
	s.Seed = *seed
	t.Logf("again: go test ./physics -run %s -seed %d", t.Name(), s.Seed)
	r, err := playHeadless(t.Context(), s, t.Output())
	require.NoError(t, err)
	return r
}

// A client without input delay has to guess the inputs of others, which causes mispredictions and
// rollbacks. In the end it has the server's pitch.
//
// Proves: X6
func TestClientsRollBackAndEndWithTheServersPitch(t *testing.T) {
	for _, predict := range []bool{true, false} {
		s := asked(t, "-seconds", "10", "-clients", "3", "-latency", "60ms", "-jitter", "10ms", "-loss", "0.05")
		s.Predict = predict
		r := played(t, s)
		require.NoError(t, r.Verdict(), "predict %v", predict)
		for _, c := range r.Clients {
			assert.NotZero(t, c.Rollbacks, "predict %v", predict)
			assert.NotEmpty(t, c.Why)
		}
	}
}

// With a delay that covers the latency between players, every input arrives before its tick is computed anywhere, and
// there are no rollbacks.
//
// Proves: X6, I12
func TestWithEnoughDelayThereAreNoRollbacks(t *testing.T) {
	s := asked(t, "-seconds", "20", "-clients", "3", "-latency", "50ms", "-delay", "10")
	require.True(t, s.covered())
	r := played(t, s)
	require.NoError(t, r.Verdict())
	for _, c := range r.Clients {
		assert.Zero(t, c.Rollbacks, "%v", c.Why)
	}
	s.Delay = 0
	assert.Error(t, func() error { r := played(t, s); r.Covered = true; return r.Verdict() }(), "the verdict can fail")
}

// The physics of a tick depend on the components only: not on the order of the entities in the
// world, and not on earlier computations.
func TestATickDependsOnComponentsOnly(t *testing.T) {
	first, second := newTestPitch(), newTestPitch()
	chance := rand.New(rand.NewPCG(*seed, 0))
	order := chance.Perm(12)
	for i := range order {
		first.put(i)
		second.put(order[i])
	}
	for range 300 {
		first.slide.Update(&first.world)
		second.slide.Update(&second.world)
	}
	assert.Equal(t, first.places(), second.places())
}

// testPitch is a world with the physics in it.
type testPitch struct {
	world ecs.World
	slide interface{ Update(w *ecs.World) }
	spawn generic.Map5[Disc, Place, Motion, Push, components.SID]
	seen  viewState
	look  func()
}

func newTestPitch() *testPitch {
	p := &testPitch{world: ecs.NewWorld()}
	ecs.AddResource(&p.world, &components.Time{Step: time.Second / tickRate})
	system := slide()
	system.Initialize(&p.world)
	p.slide, p.look = system, p.seen.recordDrawn(&p.world)
	p.spawn = generic.NewMap5[Disc, Place, Motion, Push, components.SID](&p.world)
	return p
}

// put puts a disc on the pitch at the n-th place. All discs move towards the middle.
func (p *testPitch) put(n int) {
	at := Place{X: float32(n%4)*6 - 9, Y: float32(n/4)*6 - 6}
	p.spawn.NewWith(&Disc{Hue: uint8(n), Ball: n == 0}, &at, &Motion{X: -at.X * 2, Y: -at.Y * 2},
		&Push{DX: int8(n%3) - 1, DY: int8(n%2)*2 - 1}, &components.SID{ID: int32(-n - 1)})
}

func (p *testPitch) places() []shown {
	p.look()
	return p.seen.discs
}

func TestSettings(t *testing.T) {
	s := asked(t)
	assert.Equal(t, defaultSeconds*tickRate, s.frames())
	assert.Equal(t, 100*time.Millisecond, s.correction())
	assert.False(t, s.covered())
	for _, c := range []struct{ arg, value, says string }{
		{"-mode", "both", `mode is "both"`},
		{"-clients", "7", "clients is 7; it can be 1 to 6"},
		{"-delay", "99", "delay is 99 ticks; it can be 0 to 48"},
		{"-correction", "-1", "correction is -1 ticks; it can be 0 to 60"},
		{"-latency", "-1ms", "can't be below zero"},
		{"-loss", "2", "loss is 2; it can be 0 to 1"},
		{"-seconds", "-1", "seconds is -1"},
		{"-key", "1234", "key"},
	} {
		_, err := example.Read([]string{c.arg, c.value}, t.Output())
		assert.ErrorContains(t, err, c.says)
	}
}

func TestALineIsAsBadAsAskedFor(t *testing.T) {
	s := asked(t, "-latency", "80ms", "-jitter", "20ms", "-loss", "0.25")
	assert.Equal(t, program.Span(80*time.Millisecond), s.Latency)
	line := s.Config()
	assert.Equal(t, 80*time.Millisecond, line.Latency)
	assert.Equal(t, 20*time.Millisecond, line.Jitter)
	assert.InDelta(t, 0.25, line.Loss, 0)
}
