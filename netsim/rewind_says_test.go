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
	"github.com/entangle-ecs/entangle/transport/conditioner"
)

// views is a server of which a system looks at what a player sees: a target that moves, one without a place, and one
// that is despawned again and again.
type views struct {
	moving, placeless, mortal ecs.Entity
	player, lost              ecs.Entity

	looks, fractions, repeated, gone int
	status                           map[plugin.InputStatus]int // of the inputs in views that are repeated
	clamped                          int
	by                               float64 // how far the last view was rewound
	look                             func(v *plugin.RewindView[rewindPlace])
}

func (g *views) run(t *testing.T) func(w *ecs.World) func() {
	return func(w *ecs.World) func() {
		place := generic.NewMap2[rewindPlace, components.Replicate](w)
		marks := generic.NewMap2[rewindMark, components.Replicate](w)
		owned := generic.NewMap3[steer, components.ControlledBy, components.Replicate](w)
		everyone := components.Replicate{Interpolate: components.Everyone}
		g.moving = place.NewWith(&rewindPlace{X: 500}, &everyone)
		g.placeless = marks.NewWith(&rewindMark{}, &everyone)
		g.mortal = place.NewWith(&rewindPlace{X: 900}, &everyone)
		g.player = owned.NewWith(&steer{}, &components.ControlledBy{Client: 1}, &components.Replicate{})
		clock, places := ecs.GetResource[components.Time](w), generic.NewMap1[rewindPlace](w)
		inputs, rewind := plugin.NewInputs[steer](w), plugin.NewRewind[rewindPlace](w)
		return func() {
			places.Get(g.moving).Y = float64(clock.Tick % 100)
			if clock.Tick%20 == 0 {
				plugin.Despawn(w, g.mortal)
				g.lost, g.mortal = g.mortal, place.NewWith(&rewindPlace{X: 900}, &everyone)
			}
			v := rewind.View(g.player)
			g.note(t, &v, clock, inputs.Status(g.player))
		}
	}
}

// note notes what a view says.
func (g *views) note(t *testing.T, v *plugin.RewindView[rewindPlace], clock *components.Time, status plugin.InputStatus) {
	i, ok := v.Find(g.moving)
	if !ok || v.Rewound(i).Present {
		return
	}
	g.looks++
	r := v.Rewound(i)
	assert.InDelta(t, float64(clock.Tick), float64(r.Tick)+r.Fraction+r.By, 1e-9)
	assert.Equal(t, v.Clamped(), r.Clamped)
	g.by = r.By
	if r.Fraction != 0 {
		g.fractions++
	}
	if r.Clamped {
		g.clamped++
	}
	if r.Repeated {
		g.repeated++
		g.status[status]++
	}
	if k, ok := v.Find(g.lost); ok && clock.Tick%20 > 0 { // in the tick of its despawn it is still there
		g.gone++
		assert.True(t, v.Rewound(k).Gone)
	}
	assert.False(t, r.Gone)
	if g.look != nil {
		g.look(v)
	}
}

func newViews(t *testing.T, latency time.Duration, loss float64, most time.Duration) (*views, *plugin.Server) {
	g, sim, _ := newViewer(t, latency, loss, most)
	return g, sim.Server()
}

// newViewer is newViews with the simulation and the client.
func newViewer(t *testing.T, latency time.Duration, loss float64, most time.Duration) (*views, *netsim.Sim, *netsim.Peer) {
	g := &views{status: map[plugin.InputStatus]int{}}
	sim := netsim.New(t, netsim.Config{Seed: 3, Link: netsim.Symmetric(conditioner.Config{Latency: latency, Loss: loss})})
	sc := sim.ServerConfig(rewindProtocol())
	sc.MaxRewind = most
	server := newServer(t, sc)
	server.AddSystem(plugin.FixedMain, plugin.Func(g.run(t)))
	sim.AddServer(server, server)
	client := newClient(t, sim.ClientConfig(rewindProtocol()))
	peer := sim.AddClient(1, client, client)
	peer.SetFrameRate(97)
	require.True(t, sim.RunUntil(5*time.Second, peer.Connected))
	sim.Run(8 * time.Second)
	return g, sim, peer
}

// A view says how far it was rewound, to 256ths of a tick, and which of its targets the player has lost since.
//
// Proves: L5
func TestAViewSaysHowFarItIsRewound(t *testing.T) {
	g, server := newViews(t, 60*ms, 0, 0)
	assert.Greater(t, g.looks, 300)
	assert.Greater(t, g.fractions, g.looks/2)
	assert.Greater(t, g.gone, 10)
	assert.Zero(t, g.clamped)
	assert.Zero(t, server.Stats().Rewinds.Clamped)
}

// A view of an input that did not arrive says so, and is counted.
//
// Proves: L5
func TestAViewOfARepeatedInputSaysSo(t *testing.T) {
	g, server := newViews(t, 60*ms, 0.6, 0)
	assert.Greater(t, g.repeated, 5)
	assert.Less(t, g.repeated, g.looks)
	assert.Equal(t, g.repeated, g.status[plugin.RepeatedInput], "%v", g.status)
	assert.GreaterOrEqual(t, int(server.Stats().Rewinds.Repeated), g.repeated)
}

// When no input arrives any more, the screen is taken to go on for 16 ticks. From then on the view is of the present.
//
// Proves: L5
func TestAScreenGoesOnForSixteenTicks(t *testing.T) {
	g, sim, peer := newViewer(t, 60*ms, 0, 0)
	require.Zero(t, g.repeated)
	link := peer.Line().Link()
	link.Up.Loss = 1
	peer.SetLink(link)
	sim.Run(700 * ms)
	assert.Equal(t, 16, g.repeated)
	looks := g.looks
	sim.Run(100 * ms)
	assert.Equal(t, looks, g.looks, "a view of the present is not rewound")
}

// A limit between two numbers of ticks is rounded up.
//
// Proves: L2
func TestTheLimitOfAViewIsRoundedUp(t *testing.T) {
	g, _ := newViews(t, 120*ms, 0, 40*ms)
	assert.Greater(t, g.clamped, 300)
	assert.InDelta(t, 3, g.by, 1e-9, "40 ms are 2.4 ticks")
}

// Targets that lack the component are never hit, although a view has room for them.
//
// Proves: L3
func TestATargetWithoutTheComponentIsNotHit(t *testing.T) {
	found := 0
	g := &views{status: map[plugin.InputStatus]int{}}
	g.look = func(v *plugin.RewindView[rewindPlace]) {
		if i, ok := v.Find(g.placeless); ok {
			found++
			_, _, has := v.At(i)
			assert.False(t, has)
		}
		_, ok := v.Get(g.placeless)
		assert.False(t, ok)
		ball := func(e ecs.Entity, at *rewindPlace) (plugin.Ball, bool) {
			assert.NotEqual(t, g.placeless, e)
			return plugin.Ball{Center: plugin.Vec{X: at.X, Y: at.Y}, Radius: 5}, true
		}
		box := func(e ecs.Entity, at *rewindPlace) (plugin.Box, bool) {
			assert.NotEqual(t, g.placeless, e)
			return plugin.Box{Low: plugin.Vec{X: at.X - 5, Y: -5}, High: plugin.Vec{X: at.X + 5, Y: 5}}, true
		}
		through := plugin.NewRay(plugin.Vec{X: -10}, plugin.Vec{X: 10}) // where a place without a value would be
		_, ok = v.RaycastBalls(through, ball)
		assert.False(t, ok)
		_, ok = v.RaycastBoxes(through, box)
		assert.False(t, ok)
		area := plugin.Ball{Radius: 3}
		v.OverlapBalls(area, ball, func(h plugin.RewindHit) { assert.Fail(t, "an overlap", "%+v", h) })
		v.OverlapBoxes(area, box, func(h plugin.RewindHit) { assert.Fail(t, "an overlap", "%+v", h) })
	}
	sim := netsim.New(t, netsim.Config{Seed: 3, Link: netsim.Symmetric(conditioner.Config{Latency: 30 * ms})})
	server := newServer(t, sim.ServerConfig(rewindProtocol()))
	server.AddSystem(plugin.FixedMain, plugin.Func(g.run(t)))
	sim.AddServer(server, server)
	client := newClient(t, sim.ClientConfig(rewindProtocol()))
	peer := sim.AddClient(1, client, client)
	require.True(t, sim.RunUntil(5*time.Second, peer.Connected))
	sim.Run(3 * time.Second)
	assert.Greater(t, found, 60)
}
