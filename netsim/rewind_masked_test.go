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

// While a component is hidden from a player by an Override, from this one or from all, the player's views are without it,
// also after it is shown again. Up to then it does not move to the place of the tick in which it is hidden, which the
// player is not sent. Nothing is lost here.
//
// Proves: L1, L4
func TestAMaskedPlaceIsInNoView(t *testing.T) {
	for i := range 6 {
		every, all := []uint16{1, 3, 12}[i%3], i < 3
		sim := netsim.New(t, netsim.Config{Seed: 1, Link: netsim.Symmetric(conditioner.Config{Latency: 30 * ms})})
		server := newServer(t, sim.ServerConfig(rewindProtocol()))
		looks, hidden, between := 0, 0, 0
		server.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
			things := generic.NewMap2[rewindPlace, components.Replicate](w)
			target := things.NewWith(&rewindPlace{}, &components.Replicate{Interpolate: components.Everyone, SendEvery: every})
			owned := generic.NewMap3[steer, components.ControlledBy, components.Replicate](w)
			mine := owned.NewWith(&steer{}, &components.ControlledBy{Client: 1}, &components.Replicate{})
			override, rewind := plugin.NewOverride[rewindPlace](w), plugin.NewRewind[rewindPlace](w)
			clock, places := ecs.GetResource[components.Time](w), generic.NewMap1[rewindPlace](w)
			return func() {
				view := rewind.View(mine)
				if i, ok := view.Find(target); ok && !view.Rewound(i).Present {
					if at, ok := view.Get(target); ok {
						looks++
						switch {
						case at.X >= 1000:
							hidden++
						case at.X > 0:
							between++
						}
					}
				}
				if clock.Tick%60 < 30 {
					override.SetTarget(target, components.Everyone)
					*places.Get(target) = rewindPlace{Y: float64(clock.Tick % 100)}
				} else {
					if override.SetTarget(target, components.Nobody); !all {
						override.SetTarget(target, ecs.GetResource[components.Targets](w).Except(1))
					}
					*places.Get(target) = rewindPlace{X: 1000, Y: float64(clock.Tick % 100)}
				}
			}
		}))
		sim.AddServer(server, server)
		client := newClient(t, sim.ClientConfig(rewindProtocol()))
		peer := sim.AddClient(1, client, client)
		require.True(t, sim.RunUntil(5*time.Second, peer.Connected))
		sim.Run(16 * time.Second)
		assert.GreaterOrEqual(t, looks, 60)
		assert.Zero(t, hidden, "every %d, from all %v: of %d values, hidden places", every, all, looks)
		assert.Zero(t, between, "every %d, from all %v: of %d values, places between one that was sent and a hidden one", every, all, looks)
	}
}
