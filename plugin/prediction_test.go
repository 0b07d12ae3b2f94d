package plugin_test

import (
	"fmt"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

// crate is predicted; its name is another component.
type crate struct{ X int32 }

func crateProtocol() *protocol.Protocol {
	p := testProtocol()
	protocol.Component[crate](p).Predict(protocol.Full)
	return p
}

// crates returns a server with two crates, and its only client, which predicts the first crate and
// joined long ago.
func crates(t *testing.T) (g *game, c *player, server [2]ecs.Entity, client [2]ecs.Entity) {
	g = newGameWith(t, func(c *plugin.ServerConfig) { c.Protocol = crateProtocol() })
	c = g.joinWith(crateProtocol(), 1)
	m := generic.NewMap3[crate, name, components.Replicate](g.world)
	server[0] = m.NewWith(&crate{1}, &name{1}, &components.Replicate{Predict: components.Everyone})
	server[1] = m.NewWith(&crate{2}, &name{2}, &components.Replicate{})
	g.run(120)
	filter := generic.NewFilter1[name]()
	for q := filter.Query(c.world); q.Next(); {
		client[q.Get().ID-1] = q.Entity()
	}
	require.True(t, c.Stats().Clock.Synced)
	require.True(t, c.world.Has(client[0], ecs.ComponentID[components.Predicted](c.world)))
	require.True(t, c.world.Has(client[1], ecs.ComponentID[components.Remote](c.world)))
	return g, c, server, client
}

// Despawn works where an entity is simulated. On the server it acts at once; on a client that
// predicts the entity it lasts as long as the server does not contradict it. A client cannot
// despawn an entity that only the network writes.
//
// Proves: B12, B13
func TestDespawnGoesByWhoSimulates(t *testing.T) {
	g, c, server, client := crates(t)
	has := func(e ecs.Entity) bool { return c.world.Has(e, ecs.ComponentID[crate](c.world)) }
	plugin.Despawn(c.world, client[1])
	assert.True(t, has(client[1]), "it is the server's")
	own := c.world.NewEntity()
	plugin.Despawn(c.world, own)
	assert.False(t, c.world.Alive(own))

	plugin.Despawn(c.world, client[0])
	assert.False(t, has(client[0]))
	assert.True(t, c.world.Alive(client[0]))
	g.run(30)
	assert.True(t, has(client[0]), "the server did not despawn it, and never spoke of it")
	assert.EqualValues(t, 1, c.Stats().Rollbacks.Rollbacks[plugin.ByStructure])

	plugin.Despawn(c.world, client[0])
	plugin.Despawn(g.world, server[0])
	plugin.Despawn(g.world, server[1])
	assert.False(t, g.world.Alive(server[0]))
	g.run(30)
	assert.False(t, c.world.Alive(client[0]) || c.world.Alive(client[1]))
}

// Misuse gives an error or panic that says how to fix it.
func TestMisuseOfPrediction(t *testing.T) {
	g, c, _, _ := crates(t)
	fresh := ecs.NewWorld()
	gone := c.world.NewEntity()
	c.world.RemoveEntity(gone)
	assert.PanicsWithValue(t, "plugin: Despawn in a world without an Entangle app; call it from the Initialize of a system that was added to the "+
		"Server, Client or Host, or after the app is initialised", func() { plugin.Despawn(&fresh, gone) })
	assert.Panics(t, func() { plugin.Despawn(c.world, gone) })
	q := c.world.Query(ecs.All())
	require.True(t, q.Next())
	assert.PanicsWithValue(t, fmt.Sprintf("plugin: Despawn of %v while a query is open; collect what is to go, and despawn it after the query", q.Entity()),
		func() { plugin.Despawn(c.world, q.Entity()) })
	q.Close()
	assert.Panics(t, func() { plugin.RequestRollback(&fresh, 1) })
	assert.NotPanics(t, func() { plugin.RequestRollback(g.world, 1) }, "nothing goes back on a server")
	for _, bad := range []plugin.ClientConfig{{MaxRollback: -1}, {MaxRollback: plugin.MaxRollback + 1}} {
		bad.Protocol = crateProtocol()
		_, err := plugin.NewClient(bad)
		assert.ErrorContains(t, err, "leave it zero")
	}
}

// A game can have ticks replayed without a misprediction.
//
// Proves: T1
func TestAGameAsksForARollback(t *testing.T) {
	g, c, _, _ := crates(t)
	before := c.Stats().Rollbacks
	plugin.RequestRollback(c.world, c.Tick()-3)
	g.run(1)
	after := c.Stats().Rollbacks
	assert.Equal(t, before.Rollbacks[plugin.ByRequest]+1, after.Rollbacks[plugin.ByRequest])
	assert.Equal(t, before.Ticks+3, after.Ticks)
}
