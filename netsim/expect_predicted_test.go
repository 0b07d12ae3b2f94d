package netsim_test

import (
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/plugin"
)

// boxesEnd returns a system that despawns all boxes in a tick.
func boxesEnd(tick *entangle.Tick) plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		boxes, now := generic.NewFilter1[box](), ecs.GetResource[components.Time](w)
		return func() {
			var ended []ecs.Entity
			for q := boxes.Query(w); q.Next(); {
				if now.Tick == *tick {
					ended = append(ended, q.Entity())
				}
			}
			for _, e := range ended {
				plugin.Despawn(w, e)
			}
		}
	})
}

// Server and client despawn an entity in the same tick. The server does so first, because the input delay lets the client's
// clock run behind, or because the client rarely has a frame. In the ticks before, the client predicts it as the server had it.
func TestExpectPredictedWhileTheServerIsAhead(t *testing.T) {
	for name, c := range map[string]struct{ delay, frameRate int }{"input delay": {10, 30}, "rare frames": {0, 5}} {
		t.Run(name, func(t *testing.T) {
			var end entangle.Tick
			sim := netsim.New(t, netsim.Config{Seed: 5, Link: latency(20 * ms)})
			server := serve(t, sim, sim.ServerConfig(boxProtocol()), boxesEnd(&end))
			config := sim.ClientConfig(boxProtocol())
			config.InputDelay.Min = c.delay
			client := newClient(t, config)
			client.AddSystem(plugin.FixedMain, boxesEnd(&end))
			sim.AddClient(1, client, client).SetFrameRate(c.frameRate)
			boxes := generic.NewMap2[box, components.Replicate](sim.World())
			boxes.NewWith(&box{X: 1}, &components.Replicate{Predict: components.Everyone})
			sim.Run(3 * time.Second)
			require.True(t, client.Stats().Clock.Synced)
			end = server.Tick() + 20
			sim.ExpectPredicted(2 * time.Second)
			require.Zero(t, client.Stats().Rollbacks.Rollbacks[plugin.ByMismatch])
		})
	}
}
