package plugin_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

// randomVec returns a point in a cube of edge length 4, in which a third of the coordinates are 0.
func randomVec(rng *rand.Rand) plugin.Vec {
	one := func() float64 {
		if rng.IntN(3) == 0 {
			return 0
		}
		return rng.Float64()*4 - 2
	}
	return plugin.Vec{X: one(), Y: one(), Z: one()}
}

// firstIn returns the share of a line at which it first is inside, in steps of a thousandth.
func firstIn(from, to plugin.Vec, inside func(plugin.Vec) bool) (share float64, ok bool) {
	for i := range 1001 {
		t := float64(i) / 1000
		if inside(plugin.Vec{X: from.X + t*(to.X-from.X), Y: from.Y + t*(to.Y-from.Y), Z: from.Z + t*(to.Z-from.Z)}) {
			return t, true
		}
	}
	return 0, false
}

// A line meets balls and boxes where one finds it by small steps along it.
//
// Proves: L3
func TestLinesMeetShapesWhereTheyBegin(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 20))
	met := 0
	for range 3000 {
		from, to, center, radius := randomVec(rng), randomVec(rng), randomVec(rng), rng.Float64()
		ray := plugin.NewRay(from, to)
		ball := plugin.Ball{Center: center, Radius: radius}
		box := plugin.Box{
			Low:  plugin.Vec{X: center.X - radius, Y: center.Y - radius/2, Z: center.Z - radius},
			High: plugin.Vec{X: center.X + radius, Y: center.Y + radius/2, Z: center.Z + radius},
		}
		inBall := func(p plugin.Vec) bool { return ball.Overlaps(plugin.Ball{Center: p}) }
		inBox := func(p plugin.Vec) bool { return box.Overlaps(plugin.Ball{Center: p}) }
		for _, c := range []struct {
			inside func(plugin.Vec) bool
			meets  func() (float64, bool)
		}{{inBall, func() (float64, bool) { return ray.Ball(ball) }}, {inBox, func() (float64, bool) { return ray.Box(&box) }}} {
			want, there := firstIn(from, to, c.inside)
			got, ok := c.meets()
			if there {
				require.True(t, ok, "from %v to %v: %v, %v", from, to, ball, box)
				require.InDelta(t, want, got, 2e-3, "from %v to %v: %v, %v", from, to, ball, box)
				met++
			} else if ok { // it touches the shape between two steps
				near := plugin.Vec{X: from.X + got*(to.X-from.X), Y: from.Y + got*(to.Y-from.Y), Z: from.Z + got*(to.Z-from.Z)}
				require.True(t, ball.Overlaps(plugin.Ball{Center: near, Radius: 1e-6}) || box.Overlaps(plugin.Ball{Center: near, Radius: 1e-6}))
			}
		}
	}
	assert.Greater(t, met, 300)
}

// Proves: L3
func TestShapesOverlap(t *testing.T) {
	ball := plugin.Ball{Center: plugin.Vec{X: 1}, Radius: 1}
	assert.True(t, ball.Overlaps(plugin.Ball{Center: plugin.Vec{X: 4}, Radius: 2}))
	assert.False(t, ball.Overlaps(plugin.Ball{Center: plugin.Vec{X: 4.01}, Radius: 2}))
	box := plugin.Box{Low: plugin.Vec{X: 3, Y: 3}, High: plugin.Vec{X: 5, Y: 5}}
	corner := math.Sqrt(4 + 9)
	assert.True(t, box.Overlaps(plugin.Ball{Center: plugin.Vec{X: 1}, Radius: corner + 1e-9}))
	assert.False(t, box.Overlaps(plugin.Ball{Center: plugin.Vec{X: 1}, Radius: corner - 1e-9}))
	ray, at := plugin.NewRay(plugin.Vec{}, plugin.Vec{X: 10}), 0.0
	assert.Zero(t, alloctest.Count(300, func() {
		share, _ := ray.Ball(ball)
		at += share
		_, _ = ray.Box(&box)
	}))
}

type rewindSpot struct{ X float64 }

type rewindTag struct{}

// A system that asks for former values that are not kept is told what to do.
func TestRewindNeedsItsOption(t *testing.T) {
	p := protocol.New(protocol.Config{Name: "rewind"})
	protocol.Component[rewindSpot](p)
	server, err := plugin.NewServer(plugin.ServerConfig{Protocol: p})
	require.NoError(t, err)
	w := ecs.NewWorld()
	server.Initialize(&w)
	assert.PanicsWithValue(t, "plugin: NewRewind[plugin_test.rewindSpot], of which no former values are kept; "+
		"register it with protocol.Component[plugin_test.rewindSpot](p).Rewind() before the app is made",
		func() { plugin.NewRewind[rewindSpot](&w) })

	q := protocol.New(protocol.Config{Name: "rewind"})
	protocol.Component[rewindTag](q).Rewind()
	require.ErrorContains(t, q.Err(), "Rewind keeps values, and it has none")

	q = protocol.New(protocol.Config{Name: "rewind"})
	protocol.Component[rewindSpot](q).InterpolateMode(protocol.None).Rewind()
	require.ErrorContains(t, q.Err(), "Rewind keeps what a screen shows, and with InterpolateMode(None) no client shows the values that it gets: remove one")
	q = protocol.New(protocol.Config{Name: "rewind"})
	protocol.Component[rewindSpot](q).InterpolateMode(protocol.Once).Rewind()
	require.NoError(t, q.Err())
}

// An input has no former values, and Rewind is no option of it.
func TestInputsCannotBeRewound(t *testing.T) {
	g := newWalkedGame(t)
	assert.PanicsWithValue(t, "plugin: NewRewind[plugin_test.walk], which is an input: inputs cannot be rewound. A system of FixedMain reads "+
		"those of this tick from the component plugin_test.walk, and NewInputs[plugin_test.walk] has more about them",
		func() { plugin.NewRewind[walk](g.world) })
}

// What a system must not ask of a view is refused with what to do.
func TestViewsSayWhatToDo(t *testing.T) {
	p := protocol.New(protocol.Config{Name: "rewind"})
	protocol.Component[rewindSpot](p).Rewind()
	server, err := plugin.NewServer(plugin.ServerConfig{Protocol: p})
	require.NoError(t, err)
	w := ecs.NewWorld()
	server.Initialize(&w)
	rewind := plugin.NewRewind[rewindSpot](&w)
	view := rewind.View(ecs.Entity{})
	for _, i := range []int{-1, 0} {
		for call, ask := range map[string]func(){"At": func() { view.At(i) }, "Rewound": func() { view.Rewound(i) }} {
			assert.PanicsWithValue(t, fmt.Sprintf("plugin: %s(%d) of a RewindView[plugin_test.rewindSpot] with 0 targets; "+
				"pass an index from 0 up to Len, or one that Find or a hit has returned", call, i), ask)
		}
	}
	ball := func(ecs.Entity, *rewindSpot) (b plugin.Ball, ok bool) { return b, true }
	box := func(ecs.Entity, *rewindSpot) (b plugin.Box, ok bool) { return b, true }
	for call, ask := range map[string][]func(){
		"RaycastBalls": {func() { view.RaycastBalls(plugin.Ray{}, nil) }},
		"RaycastBoxes": {func() { view.RaycastBoxes(plugin.Ray{}, nil) }},
		"OverlapBalls": {func() { view.OverlapBalls(plugin.Ball{}, nil, func(plugin.RewindHit) {}) }, func() { view.OverlapBalls(plugin.Ball{}, ball, nil) }},
		"OverlapBoxes": {func() { view.OverlapBoxes(plugin.Ball{}, nil, func(plugin.RewindHit) {}) }, func() { view.OverlapBoxes(plugin.Ball{}, box, nil) }},
	} {
		for _, f := range ask {
			assert.PanicsWithValue(t, "plugin: "+call+" with a nil function; give one that returns the shape of a target, and to an overlap one that takes the hits", f)
		}
	}
}

// rewindRange is a server on which every player shoots in each tick, at entities that their owners predict.
type rewindRange struct {
	shots, hits, found, wrong int
	owners                    map[ecs.Entity]entangle.ClientID // of targets and of shooters
	lost                      ecs.Entity
}

func (r *rewindRange) run(w *ecs.World) func() {
	shooters, inputs := generic.NewFilter1[walk](), plugin.NewInputs[walk](w)
	targets, rewind := generic.NewFilter1[rewindSpot](), plugin.NewRewind[rewindSpot](w)
	ray := plugin.NewRay(plugin.Vec{X: -10}, plugin.Vec{X: 1e6})
	shape := func(_ ecs.Entity, at *rewindSpot) (plugin.Ball, bool) {
		return plugin.Ball{Center: plugin.Vec{X: at.X}, Radius: 0.5}, true
	}
	var shooter ecs.Entity
	each := func(hit plugin.RewindHit) {
		if r.found++; hit.Rewound.Present != (r.owners[hit.Entity] == r.owners[shooter]) {
			r.wrong++
		}
	}
	return func() {
		for q := shooters.Query(w); q.Next(); {
			if inputs.Status(q.Entity()) != plugin.FreshInput {
				continue
			}
			shooter = q.Entity()
			view := rewind.View(shooter)
			r.shots++
			if _, ok := view.RaycastBalls(ray, shape); ok {
				r.hits++
			}
			view.OverlapBalls(plugin.Ball{Radius: 1e6}, shape, each)
			view.Get(shooter)
			view.Get(r.lost)
		}
		for q := targets.Query(w); q.Next(); {
			q.Get().X += 0.1
		}
	}
}

// Once a game has settled, a tick in which all players shoot at what they saw allocates nothing. What a player predicts
// itself is not rewound for it, and is for the others.
//
// Proves: L3, L5
func TestSettledShotsAllocateNothing(t *testing.T) {
	p := walkedProtocol()
	protocol.Component[rewindSpot](p).Predict(protocol.Full).Interpolate(protocol.Linear[rewindSpot]).Rewind()
	protocol.Component[components.Interpolated](p)
	r := &rewindRange{owners: map[ecs.Entity]entangle.ClientID{}}
	g := newGameWith(t, func(c *plugin.ServerConfig) { c.Protocol = p }, func(s *plugin.Server) {
		s.AddSystem(plugin.FixedMain, plugin.Func(r.run))
	})
	made := generic.NewMap3[rewindSpot, components.ControlledBy, components.Replicate](g.world)
	for i := range 60 {
		owner := entangle.ClientID(i/9%5 + 1) // no client has the fifth number
		e := made.NewWith(&rewindSpot{X: float64(i)}, &components.ControlledBy{Client: owner},
			&components.Replicate{Predict: components.Owner, Interpolate: components.NotOwner})
		r.owners[e] = owner
	}
	r.lost = made.NewWith(&rewindSpot{}, &components.ControlledBy{}, &components.Replicate{})
	g.world.RemoveEntity(r.lost)
	for id := range entangle.ClientID(4) {
		g.joinWith(p, id+1, walks)
		r.owners[g.walker(id+1)] = id + 1
	}
	g.run(600)
	*r = rewindRange{lost: r.lost, owners: r.owners}
	assert.Zero(t, alloctest.Count(300, func() { g.run(1) }))
	assert.GreaterOrEqual(t, r.hits, 4*300)
	assert.Equal(t, r.shots, r.hits)
	assert.Equal(t, 60*r.shots, r.found)
	assert.Zero(t, r.wrong)
}

// On a client, and before the first tick of a server, views are empty.
func TestRewindWithoutAHistory(t *testing.T) {
	p := protocol.New(protocol.Config{Name: "rewind"})
	protocol.Component[rewindSpot](p).Interpolate(protocol.Linear[rewindSpot]).Rewind()
	client, err := plugin.NewClient(plugin.ClientConfig{Protocol: p})
	require.NoError(t, err)
	server, err := plugin.NewServer(plugin.ServerConfig{Protocol: p})
	require.NoError(t, err)
	for _, app := range []plugin.App{client, server} {
		w := ecs.NewWorld()
		app.Initialize(&w)
		rewind := plugin.NewRewind[rewindSpot](&w)
		e := w.NewEntity()
		view := rewind.View(e)
		assert.Zero(t, view.Len())
		assert.False(t, view.Clamped())
		_, ok := view.Get(e)
		assert.False(t, ok)
	}
}

// A Rewind that no NewRewind has made says so.
func TestAZeroRewindSaysWhatToDo(t *testing.T) {
	var r plugin.Rewind[int32]
	assert.PanicsWithValue(t, "plugin: View of a zero Rewind[int32]; make it with NewRewind in the Initialize of a system",
		func() { r.View(ecs.Entity{}) })
}

// A view in another set than FixedMain is that of the last tick that has run.
func TestAViewOutsideOfFixedMain(t *testing.T) {
	p := walkedProtocol()
	protocol.Component[rewindSpot](p).Interpolate(protocol.Linear[rewindSpot]).Rewind()
	protocol.Component[components.Interpolated](p)
	var inTick, after []rewindSpot
	look := func(to *[]rewindSpot) func(*ecs.World) func() {
		return func(w *ecs.World) func() {
			rewind := plugin.NewRewind[rewindSpot](w)
			return func() {
				view := rewind.View(ecs.Entity{})
				*to = (*to)[:0]
				for i := range view.Len() {
					_, at, _ := view.At(i)
					*to = append(*to, at)
				}
			}
		}
	}
	g := newGameWith(t, func(c *plugin.ServerConfig) { c.Protocol = p }, func(s *plugin.Server) {
		s.AddSystem(plugin.AfterReceive, plugin.Func(look(&after)))
		s.AddSystem(plugin.FixedMain, plugin.Func(look(&inTick)))
	})
	made := generic.NewMap2[rewindSpot, components.Replicate](g.world)
	e := made.New()
	g.run(10)
	for range 5 {
		at[rewindSpot](g.world, e).X++
		last := slices.Clone(inTick)
		g.run(1)
		assert.Equal(t, last, after)
		assert.Equal(t, []rewindSpot{{X: at[rewindSpot](g.world, e).X - 1}}, inTick)
	}
	made.New()
	g.run(1)
	assert.Len(t, after, 1)
	assert.Len(t, inTick, 1)
}
