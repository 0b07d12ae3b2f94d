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

// An entity with Replicate appears once on every client with its values, and has Remote there.
//
// Proves: R1, C1
func TestATaggedEntityAppearsOnEveryClient(t *testing.T) {
	g := newGame(t)
	a, b := g.join(1), g.join(2)
	g.spawn(spot{1, 2}, name{7})
	g.run(60)
	for _, c := range []*player{a, b} {
		require.Equal(t, plugin.Connected, c.State())
		assert.Equal(t, map[uint32]spot{7: {1, 2}}, spots(c.world))
		f := generic.NewFilter1[components.Remote]()
		q := f.Query(c.world)
		assert.Equal(t, 1, q.Count())
		q.Close()
	}
	assert.Len(t, g.server.Clients(), 2)
	assert.EqualValues(t, 1, a.ID())
	assert.EqualValues(t, 2, b.ID())
}

// Proves: R4, R5, R6, R7
func TestEveryChangeReachesTheClient(t *testing.T) {
	g := newGame(t)
	c := g.join(1)
	e, bare := g.spawn(spot{1, 2}, name{7}), g.spawnFor(components.Everyone, name{8})
	g.run(30)

	at[spot](g.world, e).X = 5
	g.run(10)
	assert.Equal(t, map[uint32]spot{7: {5, 2}}, spots(c.world), "an update")

	flags := generic.NewMap1[flag](g.world)
	flags.Add(e)
	g.run(10)
	assert.Equal(t, 1, count[flag](c.world), "an insert")

	there := c.copies()[8]
	places := generic.NewMap1[spot](g.world)
	places.Assign(bare, &spot{3, 4})
	g.run(10)
	assert.Equal(t, map[uint32]spot{7: {5, 2}, 8: {3, 4}}, spots(c.world), "an insert of values")
	assert.Equal(t, there, c.copies()[8], "into the entity that is there")
	at[spot](g.world, bare).Y = 6
	g.run(10)
	assert.Equal(t, map[uint32]spot{7: {5, 2}, 8: {3, 6}}, spots(c.world), "an update of what was inserted")
	places.Remove(bare)
	g.run(10)
	assert.Equal(t, map[uint32]spot{7: {5, 2}}, spots(c.world), "a remove of values")
	g.world.RemoveEntity(bare)

	flags.Remove(e)
	g.run(10)
	assert.Equal(t, 0, count[flag](c.world), "a remove")

	g.world.RemoveEntity(e)
	g.run(10)
	assert.Empty(t, spots(c.world), "a despawn")
	assert.Equal(t, 0, count[components.Remote](c.world))
}

// at returns a component of an entity.
func at[T any](w *ecs.World, e ecs.Entity) *T {
	m := generic.NewMap1[T](w)
	return m.Get(e)
}

func count[T any](w *ecs.World) int {
	f := generic.NewFilter1[T]()
	q := f.Query(w)
	defer q.Close()
	return q.Count()
}
