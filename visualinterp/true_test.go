package visualinterp_test

import (
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/visualinterp"
)

// Proves: N13
// The systems of every set except AfterSend see true values; those of AfterSend see displayed
// values. At the end the true values are restored.
func TestTrueValuesInAFrame(t *testing.T) {
	p := protocol.New(protocol.Config{Name: "stage", TickRate: 100})
	protocol.Component[spot](p).Interpolate(protocol.Linear[spot])
	server, err := plugin.NewServer(plugin.ServerConfig{Protocol: p})
	require.NoError(t, err)
	w := ecs.NewWorld()
	spots := generic.NewMap1[spot](&w)
	truth := 0.0
	var e ecs.Entity
	look := func(set plugin.Set, want func() float64) {
		server.AddSystem(set, plugin.Func(func(*ecs.World) func() {
			return func() { assert.InDelta(t, want(), spots.Get(e).X, 1e-9, "%v", set) }
		}))
	}
	for set := plugin.AfterReceive; set < plugin.AfterSend; set++ {
		look(set, func() float64 { return truth })
	}
	server.AddSystem(plugin.FixedMain, plugin.Func(func(*ecs.World) func() {
		return func() {
			truth++
			spots.Get(e).X++
		}
	}))
	look(plugin.AfterSend, func() float64 { return max(truth-0.5, 0) })
	server.AddSystem(plugin.AfterSend, visualinterp.Add[spot](visualinterp.New()))
	server.Initialize(&w)
	e = spots.NewWith(&spot{})
	for _, ms := range []int{0, 5, 5, 35, 35, 45, 95, 195} {
		server.Step(time.Unix(100, 0).Add(time.Duration(ms) * time.Millisecond))
	}
	require.NotEqual(t, truth, spots.Get(e).X)
	server.Finalize(&w)
	assert.Equal(t, truth, spots.Get(e).X)
}

// If a game overwrites a displayed value, the new value counts as a true value.
//
// Proves: N13
func TestValuesWrittenInAfterSend(t *testing.T) {
	s := newStage(t, visualinterp.Add[spot](visualinterp.New()), nil)
	e, beside := s.spawn(0, 1), s.spawn(0, 1)
	for _, ms := range []int{0, 10, 25} {
		s.at(time.Duration(ms) * time.Millisecond)
	}
	require.Equal(t, 1.5, s.x(e))
	s.spots.Get(e).X = 7
	s.atReceive = func() {
		assert.Equal(t, 7., s.x(e))
		assert.Equal(t, 2., s.x(beside))
	}
	s.at(35 * time.Millisecond)
}

// A value that a game writes in a frame without a tick is a true value as well: it is not shown
// until the next tick has ended, and is restored when the next frame begins.
//
// Proves: N13
func TestWhatIsWrittenBetweenTicksIsTrue(t *testing.T) {
	s := newStage(t, visualinterp.Add[spot](visualinterp.New()), nil)
	e, beside := s.spawn(0, 1), s.spawn(0, 1)
	for _, ms := range []int{0, 10, 20} {
		s.at(time.Duration(ms) * time.Millisecond)
	}
	s.atReceive = func() { s.spots.Get(e).X = 7 }
	s.at(23 * time.Millisecond)
	assert.InDelta(t, 1.3, s.x(e), 1e-9, "between two ticks")
	s.atReceive = func() {
		assert.Equal(t, 7., s.x(e))
		assert.Equal(t, 2., s.x(beside))
	}
	s.at(26 * time.Millisecond)
	s.at(29 * time.Millisecond)
	s.atReceive, s.atSend = nil, func() {
		assert.Equal(t, 8., s.x(e), "the next tick begins with it")
		assert.Equal(t, 3., s.x(beside))
	}
	s.at(30 * time.Millisecond)
}

func TestMisuse(t *testing.T) {
	world := func(shows *visualinterp.System) func() {
		return func() { newStage(t, shows, func(*protocol.Protocol) {}) }
	}
	type empty struct{}
	type text struct{ Name string }
	lerp := func(a, _ camera, _ float64) camera { return a }
	for want, f := range map[string]func(){
		"there is no function to blend visualinterp_test.spot": world(visualinterp.Add[spot](visualinterp.New())),
		"it is a tag": world(visualinterp.Add[empty](visualinterp.New())),
		"field Name":  world(visualinterp.Add[text](visualinterp.New(), visualinterp.With(func(a, _ text, _ float64) text { return a }))),
		"twice":       func() { visualinterp.Add[spot](visualinterp.Add[spot](visualinterp.New())) },
		"Add[visualinterp_test.spot] was given a With for visualinterp_test.camera": func() { visualinterp.Add[spot](visualinterp.New(), visualinterp.With(lerp)) },
		"With(nil)":     func() { visualinterp.Add[spot](visualinterp.New(), visualinterp.With[spot](nil)) },
		"Snap(nil)":     func() { visualinterp.Add[spot](visualinterp.New(), visualinterp.Snap[spot](nil)) },
		"Where(nil)":    func() { visualinterp.Add[spot](visualinterp.New(), visualinterp.Where(nil)) },
		"Correct(-1ns)": func() { visualinterp.Add[spot](visualinterp.New(), visualinterp.Correct(-1)) },
		"has no Entangle app": func() {
			w := ecs.NewWorld()
			visualinterp.New().Initialize(&w)
		},
		"after Initialize": func() {
			shows := visualinterp.New()
			newStage(t, shows, nil)
			visualinterp.Add[spot](shows)
		},
	} {
		t.Run(want, func(t *testing.T) {
			defer func() { assert.Contains(t, recover(), want) }()
			f()
		})
	}
}

// A frame allocates nothing, even while entities are added and removed.
func TestAFrameAllocatesNothing(t *testing.T) {
	s := newStage(t, visualinterp.Add[spot](visualinterp.New()), nil)
	builder := generic.NewMap2[spot, speed](s.world)
	var all []ecs.Entity
	for range 100 {
		all = append(all, builder.New())
	}
	now := time.Duration(0)
	frame := func() {
		now += 7 * time.Millisecond
		s.at(now)
	}
	churn := func() {
		s.world.RemoveEntity(all[0])
		copy(all, all[1:])
		all[99] = builder.New()
	}
	for range 200 {
		frame()
		churn()
	}
	assert.Zero(t, alloctest.Count(200, frame))
	alone := testing.AllocsPerRun(200, churn)
	assert.Equal(t, alone, testing.AllocsPerRun(200, func() { frame(); churn() }))
}
