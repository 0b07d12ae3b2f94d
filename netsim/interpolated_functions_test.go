package netsim_test

import (
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

// smoothGame is a server that moves its entities by 1 in each tick, and sends them in every fourth, with a client.
type smoothGame struct {
	t       *testing.T
	sim     *netsim.Sim
	server  *plugin.Server
	client  *plugin.Client
	peer    *netsim.Peer
	spawned []ecs.Entity // on the server
	write   func(w *ecs.World)
}

func newSmoothGame(t *testing.T, link netsim.Config, entities int) *smoothGame {
	t.Helper()
	g := &smoothGame{t: t, sim: netsim.New(t, link), write: func(*ecs.World) {}}
	var err error
	g.server, err = plugin.NewServer(g.sim.ServerConfig(smoothProtocol()))
	require.NoError(t, err)
	g.server.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
		spawn := generic.NewMap3[smoothPlace, smoothLabel, components.Replicate](w)
		for i := range uint32(entities) {
			g.spawned = append(g.spawned, spawn.NewWith(&smoothPlace{}, &smoothLabel{i}, &components.Replicate{Interpolate: components.Everyone, SendEvery: 4}))
		}
		filter := generic.NewFilter1[smoothPlace]()
		return func() {
			for q := filter.Query(w); q.Next(); {
				q.Get().X++
			}
			g.write(w)
		}
	}))
	g.sim.AddServer(g.server, g.server)
	g.client, err = plugin.NewClient(g.sim.ClientConfig(smoothProtocol()))
	require.NoError(t, err)
	g.peer = g.sim.AddClient(1, g.client, g.client)
	require.True(t, g.sim.RunUntil(5*time.Second, g.peer.Connected))
	g.sim.Run(2 * time.Second)
	return g
}

// find returns the entity on the client with a label, and its place.
func (g *smoothGame) find(label uint32) (found ecs.Entity, at smoothPlace, ok bool) {
	filter := generic.NewFilter2[smoothPlace, smoothLabel]()
	for q := filter.Query(g.peer.World()); q.Next(); {
		if place, l := q.Get(); l.N == label {
			found, at, ok = q.Entity(), *place, true
		}
	}
	return found, at, ok
}

// places runs frames, and returns where an entity was shown in each.
func (g *smoothGame) places(label uint32, frames int) (places []float64) {
	for range frames {
		g.sim.Run(time.Second / 60)
		_, at, ok := g.find(label)
		require.True(g.t, ok)
		places = append(places, at.X)
	}
	return places
}

// stands counts the frames in which an entity does not move, and largest returns its longest step.
func stands(places []float64) (n int, largest float64) {
	for i := range places[1:] {
		step := places[i+1] - places[i]
		if largest = max(largest, step); step == 0 {
			n++
		}
	}
	return n, largest
}

// A client can blend single entities by a function of their own, or not at all. Others are not affected, and the
// entity goes on from what is on the screen when the function changes.
//
// Proves: N5
func TestAnEntityHasAFunctionOfItsOwn(t *testing.T) {
	g := newSmoothGame(t, netsim.Config{}, 2)
	samples := plugin.NewSamples[smoothPlace](g.peer.World())
	e, _, _ := g.find(0)
	n, largest := stands(g.places(0, 60))
	assert.Zero(t, n)
	assert.Less(t, largest, 1.5)

	require.True(t, samples.SetLerp(e, protocol.Step))
	places := g.places(0, 60)
	n, largest = stands(places[10:])
	assert.Greater(t, n, 30, "three of four frames")
	assert.InDelta(t, 4, largest, 1e-6)
	n, _ = stands(g.places(1, 60))
	assert.Zero(t, n, "the other entity")

	asked := 0
	require.True(t, samples.SetLerp(e, func(a, b smoothPlace, share float64) smoothPlace {
		asked++
		return protocol.Linear(a, b, share)
	}))
	n, largest = stands(g.places(0, 60))
	assert.LessOrEqual(t, n, 1)
	assert.Less(t, largest, 2.5, "it goes on from what is shown")
	assert.Positive(t, asked)

	require.True(t, samples.SetLerp(e, nil))
	asked = 0
	g.places(0, 20)
	assert.Zero(t, asked)

	servers := plugin.NewSamples[smoothPlace](g.sim.Server().World())
	assert.False(t, servers.SetLerp(g.spawned[0], protocol.Step), "on a server")
	labels := plugin.NewSamples[smoothLabel](g.peer.World())
	assert.False(t, labels.SetLerp(e, protocol.Step), "a component without a function")
	g.peer.World().Add(e, ecs.ComponentID[components.Persistent](g.peer.World()))
	g.client.Disconnect()
	g.sim.Run(time.Second)
	assert.False(t, samples.SetLerp(e, protocol.Step), "an entity that is no longer interpolated")
}

// A panic of a function of the game goes through to the caller of Update, and the app can be finalised.
//
// Proves: N5
func TestAPanicOfALerpGoesThroughUpdate(t *testing.T) {
	g := newSmoothGame(t, netsim.Config{}, 1)
	samples := plugin.NewSamples[smoothPlace](g.peer.World())
	e, _, _ := g.find(0)
	require.True(t, samples.SetLerp(e, func(smoothPlace, smoothPlace, float64) smoothPlace { panic("of the game") }))
	now := g.sim.Clock().Now()
	assert.PanicsWithValue(t, "of the game", func() {
		for range 20 {
			now = now.Add(time.Second / 60)
			g.client.Step(now)
		}
	})
	assert.NotPanics(t, func() { g.client.Finalize(g.peer.World()) })
}
