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
)

// expectEqual runs a world with a system for a second after a client has joined, and returns the
// failure of ExpectEqual.
func expectEqual(system func(w *ecs.World) func(), spoil func(*netsim.Sim, *netsim.Peer)) error {
	return netsim.Try("restless", func(t *netsim.Trial) {
		sim := netsim.New(t, netsim.Config{Seed: 5, Link: latency(40 * ms)})
		serve(t, sim, sim.ServerConfig(spotProtocol()), plugin.Func(system))
		peer := joinWith(t, sim, 1, spotProtocol())
		sim.Run(time.Second)
		spoil(sim, peer)
		sim.ExpectEqual()
	})
}

// A world that keeps changing is never equal to a replica that lags behind. The test failure says
// so, and names more than the first difference.
func TestExpectEqualNamesChangingState(t *testing.T) {
	err := expectEqual(func(w *ecs.World) func() {
		spots := generic.NewMap2[Spot, components.Replicate](w)
		walks := spots.New()
		spots.New() // this entity does not change
		last := spots.New()
		return func() {
			spot, _ := spots.Get(walks)
			spot.X++
			w.RemoveEntity(last)
			last = spots.New()
		}
	}, func(*netsim.Sim, *netsim.Peer) {})
	require.ErrorContains(t, err, "client 1: ")
	assert.ErrorContains(t, err, "The server's world is still moving: within its next 10 frames netsim_test.Spot of 1 entity changed, 1 entity came, 1 entity went.")
	assert.ErrorContains(t, err, "have the systems stop")
}

// If worlds at rest differ, ExpectEqual reports the difference and nothing else.
func TestExpectEqualOfAWorldAtRestNamesTheDifferenceAlone(t *testing.T) {
	still := func(w *ecs.World) func() {
		spots := generic.NewMap2[Spot, components.Replicate](w)
		spots.New()
		return nil
	}
	require.NoError(t, expectEqual(still, func(*netsim.Sim, *netsim.Peer) {}))
	err := expectEqual(still, func(_ *netsim.Sim, p *netsim.Peer) {
		filter := generic.NewFilter1[Spot]()
		for q := filter.Query(p.World()); q.Next(); {
			q.Get().X = 99
		}
	})
	require.ErrorContains(t, err, "Spot")
	assert.NotContains(t, err.Error(), "still moving")
}

// Without Watch, what a child inherited from a parent that it lost is unknown. If that is Retained,
// the child, and the others of the group that it is in, may be stale or missing.
func TestEqualWithoutWatchAllowsWhatALostParentLimited(t *testing.T) {
	for _, relevance := range []components.Relevance{components.ByInterest, components.Retained} {
		sim := newSim(t, netsim.Config{Seed: 5, Link: latency(40 * ms)})
		w := sim.World()
		rooms, marked := plugin.NewRooms(w), generic.NewMap2[Spot, components.Replicate](w)
		children := generic.NewMap2[Spot, components.ChildOf](w, generic.T[components.ChildOf]())
		parent := marked.NewWith(&Spot{X: 1}, &components.Replicate{Relevance: relevance})
		child, mate := children.New(parent), marked.NewWith(&Spot{X: 3}, &components.Replicate{Group: 7, Relevance: relevance})
		for _, e := range []ecs.Entity{parent, mate} {
			rooms.AddEntity(1, e)
		}
		peer := join(t, sim, 1)
		sim.Run(time.Second)
		rooms.AddClient(1, 1)
		sim.Run(time.Second)
		require.NoError(t, peer.Equal())
		group := generic.NewMap1[components.Replicate](w)
		group.Get(child).Group = 7
		sim.Run(time.Second)
		require.NoError(t, peer.Equal())

		w.Remove(child, ecs.ComponentID[components.ChildOf](w))
		sim.Run(time.Second)
		rooms.RemoveClient(1, 1)
		sim.Run(time.Second)
		spotOf(w, child).X, spotOf(w, mate).X = 50, 51
		sim.Run(time.Second)
		assert.NoError(t, peer.Equal())
	}
}

// An entity that a client itself has removed is named as such.
func TestEqualNamesAnEntityThatTheClientRemoved(t *testing.T) {
	err := expectEqual(func(w *ecs.World) func() {
		spots := generic.NewMap2[Spot, components.Replicate](w)
		spots.New()
		return nil
	}, func(_ *netsim.Sim, p *netsim.Peer) {
		filter := generic.NewFilter1[Spot]()
		q := filter.Query(p.World())
		q.Next()
		e := q.Entity()
		q.Close()
		p.World().RemoveEntity(e)
	})
	assert.ErrorContains(t, err, "a copy of the server's {1 1}: the client has removed it")
}
