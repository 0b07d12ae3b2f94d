package plugin_test

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/ecs/event"
	"github.com/mlange-42/arche/listener"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/plugin"
)

func counter(n *int) listener.Callback {
	return listener.NewCallback(func(*ecs.World, ecs.EntityEvent) { *n++ }, event.Entities)
}

func TestAListenerThatWouldBeLostIsAnError(t *testing.T) {
	s, err := plugin.NewServer(plugin.ServerConfig{Protocol: testProtocol()})
	require.NoError(t, err)
	w := ecs.NewWorld()
	heard := 0
	mine := counter(&heard)
	w.SetListener(&mine)
	assert.PanicsWithValue(t, "plugin: the world has a listener, and there can be only one: add yours to a listener.Dispatch, "+
		"call World.SetListener with that, and ecs.AddResource it to the world, so that both can hear; "+
		"or leave all of it to the app and add yours to its Dispatch later", func() { s.Initialize(&w) })
}

func TestAListenerCanBeShared(t *testing.T) {
	s, err := plugin.NewServer(plugin.ServerConfig{Protocol: testProtocol()})
	require.NoError(t, err)
	w := ecs.NewWorld()
	heard := 0
	mine := counter(&heard)
	dispatch := listener.NewDispatch(&mine)
	w.SetListener(&dispatch)
	ecs.AddResource(&w, &dispatch)
	s.Initialize(&w)
	heard = 0 // this also counts the packet with which the listener is checked
	w.NewEntity()
	assert.Equal(t, 1, heard)
}

func TestAListenerThatReplacesOursIsToldOf(t *testing.T) {
	g := newGame(t)
	g.run(2)
	heard := 0
	mine := counter(&heard)
	g.world.SetListener(&mine)
	defer func() {
		text, _ := recover().(string)
		assert.Contains(t, text, "do not call World.SetListener")
	}()
	g.run(2)
	assert.Fail(t, "a lost listener went unnoticed")
}

// A listener of the client's world may disconnect it while a packet is applied, or while entities are removed because
// the connection ends.
func TestAListenerMayDisconnectItsClient(t *testing.T) {
	for what, of := range map[string]event.Subscription{"an entity appears": event.EntityCreated, "an entity is gone": event.EntityRemoved} {
		t.Run(what, func(t *testing.T) {
			g := newGame(t)
			c := g.join(1)
			g.run(10)
			calls := 0
			mine := listener.NewCallback(func(*ecs.World, ecs.EntityEvent) {
				calls++
				c.Disconnect()
			}, of)
			ecs.GetResource[listener.Dispatch](c.world).AddListener(&mine)
			first := g.spawn(spot{}, name{1})
			g.spawn(spot{}, name{2})
			g.run(10)
			if g.world.RemoveEntity(first); of == event.EntityRemoved {
				require.Equal(t, plugin.Connected, c.State())
			}
			g.run(10)
			assert.Equal(t, plugin.Disconnected, c.State())
			require.ErrorIs(t, c.Err(), plugin.ErrLeft)
			assert.Positive(t, calls)
			assert.Empty(t, c.ids())
		})
	}
}

func TestAWorldThatWasResetIsToldOf(t *testing.T) {
	g := newGame(t)
	g.run(2)
	g.world.Reset()
	defer func() {
		text, _ := recover().(string)
		assert.Contains(t, text, "World.Reset")
	}()
	g.run(2)
	assert.Fail(t, "a reset world went unnoticed")
}
