package netsim_test

import (
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/transport/conditioner"
)

// If only values change and nothing is lost, Watch finds that groups with intervals are sent once
// per interval. This includes groups of one entity and of several, public and private ones.
//
// Proves: R35
func TestValuesAreSentOncePerInterval(t *testing.T) {
	sim := netsim.New(t, netsim.Config{Seed: 3, Link: latency(30 * ms)})
	server := newServer(t, sim.ServerConfig(spotProtocol()))
	server.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
		m, targets := generic.NewMap2[Spot, components.Replicate](w), ecs.GetResource[components.Targets](w)
		for n, target := range []components.Target{components.Everyone, targets.Only(1), targets.Except(2)} {
			for i := range 10 {
				group := components.Group(i / 5 * (n + 1))
				m.NewWith(&Spot{}, &components.Replicate{Target: target, Group: group, SendEvery: uint16(2 + i%5)})
			}
		}
		spots := generic.NewFilter1[Spot]()
		return func() {
			for q := spots.Query(w); q.Next(); {
				q.Get().X++
			}
		}
	}))
	sim.AddServer(server, server)
	sim.Watch()
	one, two := join(t, sim, 1), join(t, sim, 2)
	sim.Run(3 * time.Second)
	require.True(t, one.Connected() && two.Connected())
}

// To a client that has acknowledged nothing for 2 s, only some of the ticks are sent. Values whose turn
// is in another tick are late, and their next turn is less than an interval later. Watch allows that.
//
// Proves: R35
func TestWatchAllowsTurnsLeftOutOnACutLine(t *testing.T) {
	const cut = 100 // tick
	for seed := range uint64(10) {
		sim := netsim.New(t, netsim.Config{Seed: seed, Link: netsim.Symmetric(conditioner.Config{Latency: 30 * ms, Loss: 0.2})})
		server := newServer(t, sim.ServerConfig(spotProtocol()))
		server.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
			m, spots, spawned := generic.NewMap2[Spot, components.Replicate](w), generic.NewFilter1[Spot](), 0
			return func() {
				if server.Tick() > cut && spawned < 20 {
					m.NewWith(&Spot{}, &components.Replicate{SendEvery: 7})
					spawned++
				}
				for q := spots.Query(w); q.Next(); {
					q.Get().X++
				}
			}
		}))
		sim.AddServer(server, server)
		sim.Watch()
		peer := join(t, sim, 1)
		sim.RunUntil(time.Minute, func() bool { return server.Tick() >= cut })
		peer.Cut()
		sim.Run(3 * time.Second)
		peer.Restore()
		sim.Run(time.Second)
		require.True(t, peer.Connected())
	}
}
