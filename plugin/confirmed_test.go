package plugin_test

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/world/apps"
	"github.com/entangle-ecs/entangle/plugin"
)

// Confirmed also reads entities that are not predicted, and returns false for entities that do not
// come from the server.
func TestTheConfirmedStateOfWhatIsRemote(t *testing.T) {
	g := newGame(t)
	c := g.join(1)
	e := g.spawn(spot{1, 2}, name{7})
	g.run(30)
	at[spot](g.world, e).X = 5
	g.run(10)
	there := c.copies()[7]
	spots, flags := plugin.NewConfirmed[spot](c.world), plugin.NewConfirmed[flag](c.world)
	value, tick, ok := spots.Get(there)
	require.True(t, ok)
	assert.Equal(t, spot{5, 2}, value)
	known := apps.Of(c.World()).ClientMirror().Entities[0].Tick
	assert.Equal(t, known, tick)
	_, _, ok = flags.Get(there)
	assert.False(t, ok)
	_, _, ok = spots.Get(c.world.NewEntity(ecs.ComponentID[spot](c.world)))
	assert.False(t, ok, "the game's own")
	_, _, ok = spots.Get(ecs.Entity{})
	assert.False(t, ok)
	_, ok = c.Twin(there)
	assert.False(t, ok)
	g.world.RemoveEntity(e)
	g.run(10)
	_, _, ok = spots.Get(there)
	assert.False(t, ok)
}

// On a server, the values in the world are the confirmed ones.
func TestTheConfirmedStateOnAServer(t *testing.T) {
	g := newGame(t)
	e := g.spawn(spot{1, 2}, name{7})
	g.world.Add(e, ecs.ComponentID[flag](g.world))
	g.run(3)
	spots, flags := plugin.NewConfirmed[spot](g.world), plugin.NewConfirmed[flag](g.world)
	value, tick, ok := spots.Get(e)
	require.True(t, ok)
	assert.Equal(t, spot{1, 2}, value)
	assert.Equal(t, g.server.Tick(), tick)
	_, _, ok = flags.Get(e)
	assert.True(t, ok, "a tag")
	g.world.Remove(e, ecs.ComponentID[spot](g.world))
	_, _, ok = spots.Get(e)
	assert.False(t, ok)
	g.world.RemoveEntity(e)
	_, _, ok = flags.Get(e)
	assert.False(t, ok)
}

func TestOfWhatIsNotRegisteredNothingIsConfirmed(t *testing.T) {
	g := newGame(t)
	c := g.join(1)
	for _, w := range []*ecs.World{g.world, c.world} {
		assert.PanicsWithValue(t, "plugin: NewConfirmed[plugin_test.private], of which the server says nothing; "+
			"register it with protocol.Component[plugin_test.private](p) before the app is made",
			func() { plugin.NewConfirmed[private](w) })
	}
	w := ecs.NewWorld()
	assert.Panics(t, func() { plugin.NewConfirmed[spot](&w) })
	assert.Panics(t, func() { plugin.NewConfirmed[components.Remote](c.world) })
}
