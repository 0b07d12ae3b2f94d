package visualinterp_test

import (
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/visualinterp"
)

// spot is the component that the tests show.
type spot struct{ X float64 }

// speed moves spots, except those of Remote entities.
type speed struct{ X float64 }

// stage is a server with a virtual clock, in ticks of 10 ms.
type stage struct {
	*plugin.Server
	t      *testing.T
	world  *ecs.World
	start  time.Time
	spots  generic.Map1[spot]
	goes   generic.Map1[goes]
	speeds generic.Map1[speed]
	moves  plugin.System

	// Functions that a test sets, which are called in sets where components hold true values.
	atReceive, atTick, atSend func()
}

// newStage makes a server with a System, and with a system that adds its speed to every spot.
func newStage(t *testing.T, shows *visualinterp.System, register func(*protocol.Protocol), first ...plugin.System) *stage {
	p := protocol.New(protocol.Config{Name: "stage", TickRate: 100})
	if register == nil {
		register = func(p *protocol.Protocol) { protocol.Component[spot](p).Interpolate(protocol.Linear[spot]) }
	}
	register(p)
	server, err := plugin.NewServer(plugin.ServerConfig{Protocol: p})
	require.NoError(t, err)
	w := ecs.NewWorld(1024, 4)
	s := &stage{Server: server, t: t, world: &w, start: time.Unix(100, 0), spots: generic.NewMap1[spot](&w), moves: moves()}
	s.speeds = generic.NewMap1[speed](&w)
	s.goes = generic.NewMap1[goes](&w)
	for _, system := range first {
		s.AddSystem(plugin.AfterReceive, system)
	}
	s.AddSystem(plugin.FixedMain, s.moves)
	s.hook(plugin.AfterReceive, &s.atReceive)
	s.hook(plugin.FixedMain, &s.atTick)
	s.hook(plugin.BeforeSend, &s.atSend)
	if shows != nil {
		s.AddSystem(plugin.AfterSend, shows)
	}
	s.Initialize(&w)
	t.Cleanup(func() { s.Finalize(&w) })
	return s
}

// hook adds a system to a set that calls *f, unless it is nil.
func (s *stage) hook(set plugin.Set, f *func()) {
	s.AddSystem(set, plugin.Func(func(*ecs.World) func() {
		return func() {
			if *f != nil {
				(*f)()
			}
		}
	}))
}

// moves returns the movement system of the game.
func moves() plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		filter := generic.NewFilter2[spot, speed]().Without(generic.T[components.Remote]())
		return func() {
			for query := filter.Query(w); query.Next(); {
				at, by := query.Get()
				at.X += by.X
			}
		}
	})
}

// at runs a frame at a time since the start.
func (s *stage) at(d time.Duration) { s.Step(s.start.Add(d)) }

// ticks runs frames with one tick each, except the first, which has none.
func (s *stage) ticks(frames int) {
	for frame := range frames {
		s.at(time.Duration(frame) * 10 * time.Millisecond)
	}
}

func (s *stage) spawn(x, by float64) ecs.Entity {
	builder := generic.NewMap2[spot, speed](s.world)
	return builder.NewWith(&spot{x}, &speed{by})
}

func (s *stage) x(e ecs.Entity) float64 { return s.spots.Get(e).X }

// Proves: N6
// This is the worked example of the book, number by number. In the book a tick takes 9 ms and a
// frame 12; here they take 10, and a third of 40.
func TestTheBooksExample(t *testing.T) {
	s := newStage(t, visualinterp.Add[spot](visualinterp.New()), nil)
	component := s.spawn(0, 1)
	var restored, canonical float64
	s.atReceive = func() { restored = s.x(component) }
	s.atSend = func() { canonical = s.x(component) }

	frames := []struct {
		tick      int
		overstep  float64
		restored  float64 // the true value, before the frame's ticks
		canonical float64 // the true value, after them
		shown     float64
	}{
		{0, 0, 0, 0, 0},
		{1, 1. / 3, 0, 1, 1}, // there are not two ticks yet between which to interpolate
		{2, 2. / 3, 1, 2, 1 + 2./3},
		{4, 0, 2, 4, 3},
		{5, 1. / 3, 4, 5, 4 + 1./3},
	}
	for i, want := range frames {
		s.at(time.Duration(i) * 40 * time.Millisecond / 3)
		now := ecs.GetResource[components.Time](s.world)
		assert.Equal(t, want.tick, int(now.Tick), "frame %d", i)
		assert.InDelta(t, want.overstep, now.Overstep, 1e-6, "frame %d", i)
		assert.Equal(t, want.restored, restored, "frame %d", i)
		assert.Equal(t, want.canonical, canonical, "frame %d", i)
		assert.InDelta(t, want.shown, s.x(component), 1e-6, "frame %d", i)
	}
}
