package plugin_test

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
)

// named returns the entities with the given name in a world.
func named(w *ecs.World, id uint32) (list []ecs.Entity) {
	f := generic.NewFilter1[name]()
	q := f.Query(w)
	for q.Next() {
		if q.Get().ID == id {
			list = append(list, q.Entity())
		}
	}
	return list
}

// However a connection ends, its entities despawn, except those that the game has marked as
// persistent. Those stay in their last state, as entities that belong to the game alone.
//
// Proves: R19
func TestWhatIsPersistentStaysWhenTheConnectionEnds(t *testing.T) {
	for how, end := range map[string]func(*game, *player){
		"the client leaves": func(_ *game, c *player) { c.Disconnect() },
		"it is kicked":      func(g *game, _ *player) { g.server.Disconnect(9, "enough") },
		"the server stops":  func(g *game, _ *player) { require.NoError(g.t, g.server.Stop()) },
	} {
		t.Run(how, func(t *testing.T) {
			g := newGame(t)
			var gone []plugin.EntityDespawned
			c := g.join(9, func(c *plugin.Client) {
				c.AddSystem(plugin.AfterReceive, plugin.Func(func(w *ecs.World) func() {
					events := plugin.NewReader[plugin.EntityDespawned](w)
					return func() { gone = append(gone, events.Read()...) }
				}))
			})
			for id := range uint32(3) {
				g.spawn(spot{1, float32(id)}, name{id})
			}
			g.run(30)
			kept, lost := named(c.world, 1)[0], named(c.world, 2)[0]
			c.world.Add(kept, ecs.ComponentID[components.Persistent](c.world), ecs.ComponentID[components.Controlled](c.world))
			end(g, c)
			g.run(3)
			require.Equal(t, plugin.Disconnected, c.State())
			assert.Equal(t, map[uint32]spot{1: {1, 1}}, spots(c.world))
			assert.True(t, c.world.Alive(kept))
			assert.Zero(t, count[components.Remote](c.world)+count[components.Controlled](c.world), "it is the game's own")
			assert.Equal(t, 1, count[components.Persistent](c.world))
			assert.Len(t, gone, 2, "the others are told of")
			assert.False(t, c.world.Alive(lost))
		})
	}
}

// After a reconnect the server's entity arrives as a new one beside the persistent one. Changes of
// it do not affect the persistent one.
//
// Proves: R19
func TestWhatStayedIsNobodysAfterAReconnect(t *testing.T) {
	g := newGame(t)
	c := g.join(9)
	e := g.spawn(spot{1, 1}, name{1})
	g.run(30)
	kept := named(c.world, 1)[0]
	c.world.Add(kept, ecs.ComponentID[components.Persistent](c.world))
	c.Disconnect()
	g.run(10)
	g.connect(c, 9)
	g.run(30)
	require.Equal(t, plugin.Connected, c.State())
	require.Len(t, named(c.world, 1), 2)
	assert.Equal(t, 1, count[components.Remote](c.world))
	at[spot](g.world, e).X = 5
	g.run(10)
	assert.Equal(t, spot{1, 1}, *at[spot](c.world, kept))
	g.world.RemoveEntity(e)
	g.run(10)
	assert.Equal(t, []ecs.Entity{kept}, named(c.world, 1))
	c.Disconnect()
	assert.True(t, c.world.Alive(kept), "a later connection's end is nothing to it")
}

// A persistent entity despawns like any other when its server despawns it.
func TestWhatIsPersistentStillDespawns(t *testing.T) {
	g := newGame(t)
	c := g.join(9)
	e := g.spawn(spot{1, 1}, name{1})
	g.run(30)
	c.world.Add(named(c.world, 1)[0], ecs.ComponentID[components.Persistent](c.world))
	g.world.RemoveEntity(e)
	g.run(10)
	assert.Empty(t, spots(c.world))
}
