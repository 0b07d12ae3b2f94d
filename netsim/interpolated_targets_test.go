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

// The clients in a room predict an entity. A client that leaves the room interpolates the entity only if the
// interpolation target includes the client.
//
// Proves: N9
func TestAClientLeavesTheRoomThatPredicts(t *testing.T) {
	sim := netsim.New(t, netsim.Config{})
	server := newServer(t, sim.ServerConfig(modelProtocol()))
	sim.AddServer(server, server)
	client := newClient(t, sim.ClientConfig(modelProtocol()))
	peer := sim.AddClient(1, client, client)
	require.True(t, sim.RunUntil(5*time.Second, peer.Connected))
	w := sim.World()
	rooms := plugin.NewRooms(w)
	require.True(t, rooms.AddClient(7, 1))
	spawn := generic.NewMap4[modelKey, modelPlace, components.ControlledBy, components.Replicate](w)
	spawn.NewWith(&modelKey{1}, &modelPlace{}, &components.ControlledBy{Client: 1}, &components.Replicate{
		Predict: ecs.GetResource[components.Targets](w).Room(7), Interpolate: components.NotOwner,
	})
	// is reports how the client has the entity.
	is := func() (predicted, interpolated bool) {
		sim.Run(time.Second)
		filter := generic.NewFilter1[modelKey]()
		q := filter.Query(peer.World())
		require.True(t, q.Next())
		e := q.Entity()
		q.Close()
		has := func(id ecs.ID) bool { return peer.World().Has(e, id) }
		return has(ecs.ComponentID[components.Predicted](peer.World())), has(ecs.ComponentID[components.Interpolated](peer.World()))
	}
	for range 3 {
		predicted, interpolated := is()
		assert.True(t, predicted)
		assert.False(t, interpolated)
		require.True(t, rooms.RemoveClient(7, 1))
		predicted, interpolated = is()
		assert.False(t, predicted)
		assert.False(t, interpolated, "it is the owner")
		require.True(t, rooms.AddClient(7, 1))
	}
}

// A client predicts an entity that it would interpolate otherwise, and despawns it alone. When the server's state brings
// it back, it is predicted as before: the client does not interpolate it as well.
//
// Proves: N9
func TestAWrongDespawnIsNotInterpolatedAfterwards(t *testing.T) {
	sim := netsim.New(t, netsim.Config{})
	server := newServer(t, sim.ServerConfig(modelProtocol()))
	sim.AddServer(server, server)
	client := newClient(t, sim.ClientConfig(modelProtocol()))
	var e ecs.Entity
	wrong := false
	client.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
		return func() {
			if wrong {
				plugin.Despawn(w, e)
				wrong = false
			}
		}
	}))
	peer := sim.AddClient(1, client, client)
	require.True(t, sim.RunUntil(5*time.Second, peer.Connected))
	spawn := generic.NewMap3[modelKey, modelPlace, components.Replicate](sim.World())
	spawn.NewWith(&modelKey{1}, &modelPlace{}, &components.Replicate{Predict: components.Everyone, Interpolate: components.Everyone})
	sim.Run(2 * time.Second)
	w := peer.World()
	q := generic.NewFilter2[modelKey, components.Predicted]().Query(w)
	require.True(t, q.Next())
	e = q.Entity()
	q.Close()
	has := func(id ecs.ID) bool { return w.Has(e, id) }
	wrong = true
	require.True(t, sim.RunUntil(time.Second, func() bool { return !has(ecs.ComponentID[modelPlace](w)) }), "it was not despawned")
	require.True(t, sim.RunUntil(5*time.Second, func() bool { return has(ecs.ComponentID[modelPlace](w)) }), "it did not come back")
	assert.True(t, has(ecs.ComponentID[components.Predicted](w)))
	assert.False(t, has(ecs.ComponentID[components.Interpolated](w)))
}
