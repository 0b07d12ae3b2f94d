package netsim_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/visualinterp"
)

// boxesMove returns a system that moves all boxes which the network does not write.
func boxesMove() plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		boxes := generic.NewFilter1[box]().Without(generic.T[components.Remote]())
		return func() {
			for q := boxes.Query(w); q.Next(); {
				q.Get().X += 100
			}
		}
	})
}

// boxesOf returns the places of the boxes of a world.
func boxesOf(w *ecs.World) (all []int32) {
	for q := generic.NewFilter1[box]().Query(w); q.Next(); {
		all = append(all, q.Get().X)
	}
	return all
}

// The true values are compared, and not those on the screen of a side that draws its world between ticks. A comparison
// leaves them on the screen.
func TestDrawnWorldsAreCompared(t *testing.T) {
	for _, side := range []string{"server", "client"} {
		for _, predicted := range []components.Target{components.Nobody, components.Everyone} {
			t.Run(fmt.Sprint(side, " ", predicted), func(t *testing.T) {
				sim := netsim.New(t, netsim.Config{Seed: 5, Link: latency(20 * ms)})
				sim.Watch()
				server, client := newServer(t, sim.ServerConfig(boxProtocol())), newClient(t, sim.ClientConfig(boxProtocol()))
				server.AddSystem(plugin.FixedMain, boxesMove())
				client.AddSystem(plugin.FixedMain, boxesMove())
				apps := map[string]plugin.App{"server": server, "client": client}
				between := func(a, b box, t float64) box { return box{X: a.X + int32(float64(b.X-a.X)*t)} }
				apps[side].AddSystem(plugin.AfterSend, visualinterp.Add[box](visualinterp.New(), visualinterp.With(between)))
				sim.AddServer(server, server)
				sim.AddClient(1, client, client).SetFrameRate(45)
				boxes := generic.NewMap2[box, components.Replicate](sim.World())
				boxes.NewWith(&box{}, &components.Replicate{Predict: predicted})
				sim.Run(2 * time.Second)
				sim.ExpectPredicted(time.Second)
				onScreen := boxesOf(apps[side].World())
				assert.Error(t, sim.Equal(), "the client is behind or ahead")
				assert.Equal(t, onScreen, boxesOf(apps[side].World()))
			})
		}
	}
}
