package plugin_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
