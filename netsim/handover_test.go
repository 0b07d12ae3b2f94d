package netsim_test

import (
	"math"
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
	"github.com/entangle-ecs/entangle/visualinterp"
)

// An entity that moves evenly goes from interpolated to predicted and back, again and again. On the screen it
// never jumps, stands or moves backwards, and its speed changes gradually.
//
// Proves: N10
func TestSwitchesAreNotSeenOnTheScreen(t *testing.T) {
	move := func() plugin.System {
		return plugin.Func(func(w *ecs.World) func() {
			filter := generic.NewFilter1[modelPlace]().Without(generic.T[components.Remote]())
			return func() {
				for q := filter.Query(w); q.Next(); {
					q.Get().X++
				}
			}
		})
	}
	for _, shown := range []bool{false, true} {
		link := conditioner.Config{Latency: 60 * time.Millisecond, Jitter: 8 * time.Millisecond}
		sim := netsim.New(t, netsim.Config{Link: netsim.Symmetric(link)})
		server, err := plugin.NewServer(sim.ServerConfig(modelProtocol()))
		require.NoError(t, err)
		var replicate *components.Replicate
		server.AddSystem(plugin.FixedMain, move())
		server.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
			spawn := generic.NewMap3[modelKey, modelPlace, components.Replicate](w)
			e := spawn.NewWith(&modelKey{1}, &modelPlace{}, &components.Replicate{Interpolate: components.Everyone})
			return func() { _, _, replicate = spawn.Get(e) }
		}))
		sim.AddServer(server, server)
		client, err := plugin.NewClient(sim.ClientConfig(modelProtocol()))
		require.NoError(t, err)
		client.AddSystem(plugin.FixedMain, move())
		if shown {
			client.AddSystem(plugin.AfterSend, visualinterp.Add[modelPlace](visualinterp.New()))
		}
		peer := sim.AddClient(1, client, client)
		require.True(t, sim.RunUntil(5*time.Second, peer.Connected))
		sim.Run(3 * time.Second)
		filter := generic.NewFilter1[modelPlace]()
		last, speed, worst, slowest, fastest := math.NaN(), math.NaN(), 0.0, 1.0, 1.0
		for frame := range 1200 {
			switch frame % 240 {
			case 0:
				replicate.Predict = components.Everyone
			case 120:
				replicate.Predict = components.Nobody
			}
			sim.Run(time.Second / 60)
			q := filter.Query(peer.World())
			require.True(t, q.Next())
			x := q.Get().X
			q.Close()
			if step := x - last; !math.IsNaN(step) {
				slowest, fastest = min(slowest, step), max(fastest, step)
				if change := math.Abs(step - speed); !math.IsNaN(change) {
					worst = max(worst, change)
				}
				speed = step
			}
			last = x
		}
		t.Logf("visualinterp %v: slowest %.2f, fastest %.2f, greatest change of speed %.2f", shown, slowest, fastest, worst)
		assert.GreaterOrEqual(t, slowest, 0.0)
		assert.Less(t, fastest, 2.5)
		if shown { // otherwise what is predicted moves in whole ticks
			assert.Greater(t, slowest, 0.1)
			assert.Less(t, worst, 0.25)
		}
	}
}
