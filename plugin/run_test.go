package plugin

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pacedSystem records the times of its calls, and takes the given time.
type pacedSystem struct {
	rate      int
	takes     func(frame int) time.Duration
	frames    []time.Duration
	began     time.Time
	finalized int
}

func (p *pacedSystem) TickRate() int         { return p.rate }
func (p *pacedSystem) Initialize(*ecs.World) { p.began = time.Now() }
func (p *pacedSystem) Finalize(*ecs.World)   { p.finalized++ }

func (p *pacedSystem) Update(*ecs.World) {
	p.frames = append(p.frames, time.Since(p.began))
	if p.takes != nil {
		time.Sleep(p.takes(len(p.frames)))
	}
}

// runFor runs the system in a bubble of virtual time.
func runFor(t *testing.T, d time.Duration, sys *pacedSystem) {
	synctest.Test(t, func(t *testing.T) {
		w := ecs.NewWorld()
		ctx, cancel := context.WithTimeout(t.Context(), d)
		defer cancel()
		require.NoError(t, Run(ctx, &w, sys))
		assert.Equal(t, 1, sys.finalized)
	})
}

func TestRunKeepsTheRateWithoutDrift(t *testing.T) {
	sys := &pacedSystem{rate: 60, takes: func(n int) time.Duration { return time.Duration(n%7) * time.Millisecond }}
	runFor(t, time.Minute+time.Millisecond, sys)
	require.Len(t, sys.frames, 60*60+1)
	for i, at := range sys.frames {
		require.Equal(t, time.Duration(i)*time.Second/60, at, "frame %d", i)
	}
}

func TestRunGoesOnAfterAStallWithoutABurst(t *testing.T) {
	sys := &pacedSystem{rate: 100, takes: func(n int) time.Duration {
		if n == 3 {
			return time.Second
		}
		return 0
	}}
	runFor(t, 1045*time.Millisecond, sys)
	ms := time.Millisecond
	assert.Equal(t, []time.Duration{0, 10 * ms, 20 * ms, 1020 * ms, 1030 * ms, 1040 * ms}, sys.frames)
}

func TestRunMakesUpForAFrameThatWasALittleLate(t *testing.T) {
	sys := &pacedSystem{rate: 100, takes: func(n int) time.Duration {
		if n == 2 {
			return 15 * time.Millisecond
		}
		return 0
	}}
	runFor(t, 45*time.Millisecond, sys)
	ms := time.Millisecond
	assert.Equal(t, []time.Duration{0, 10 * ms, 25 * ms, 30 * ms, 40 * ms}, sys.frames)
}

func TestRunOfAnEndedContextUpdatesNothing(t *testing.T) {
	w := ecs.NewWorld()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	sys := &pacedSystem{rate: 60}
	require.NoError(t, Run(ctx, &w, sys))
	assert.Empty(t, sys.frames)
	assert.Equal(t, 1, sys.finalized)
}

func TestRunRefusesWhatItCannotRun(t *testing.T) {
	w := ecs.NewWorld()
	assert.EqualError(t, Run(t.Context(), nil, &pacedSystem{}),
		"plugin: Run needs a world; make one with ecs.NewWorld()")
	assert.EqualError(t, Run(t.Context(), &w, nil),
		"plugin: Run needs a system, such as a Server, a Client or a Host; got nil")
	assert.EqualError(t, Run(t.Context(), &w, &pacedSystem{}),
		"plugin: Run needs a tick rate of at least 1 per second; *plugin.pacedSystem.TickRate returns 0")
}

func TestRunUsesTheDefaultRateForAPlainSystem(t *testing.T) {
	w := ecs.NewWorld()
	rate, err := frameRate(&w, Func(func(*ecs.World) func() { return nil }))
	require.NoError(t, err)
	assert.Equal(t, 60, rate)
}
