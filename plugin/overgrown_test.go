package plugin_test

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

// state is one of eleven properties that an entity may have or lack.
type state[N any] struct{}

func stateful() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "plugin test"})
	protocol.Component[state[[0]int]](p)
	protocol.Component[state[[1]int]](p)
	protocol.Component[state[[2]int]](p)
	protocol.Component[state[[3]int]](p)
	protocol.Component[state[[4]int]](p)
	protocol.Component[state[[5]int]](p)
	protocol.Component[state[[6]int]](p)
	protocol.Component[state[[7]int]](p)
	protocol.Component[state[[8]int]](p)
	protocol.Component[state[[9]int]](p)
	protocol.Component[state[[10]int]](p)
	return p
}

func states(w *ecs.World) []ecs.ID {
	return []ecs.ID{
		ecs.ComponentID[state[[0]int]](w), ecs.ComponentID[state[[1]int]](w), ecs.ComponentID[state[[2]int]](w), ecs.ComponentID[state[[3]int]](w),
		ecs.ComponentID[state[[4]int]](w), ecs.ComponentID[state[[5]int]](w), ecs.ComponentID[state[[6]int]](w), ecs.ComponentID[state[[7]int]](w),
		ecs.ComponentID[state[[8]int]](w), ecs.ComponentID[state[[9]int]](w), ecs.ComponentID[state[[10]int]](w),
	}
}

// A client leaves a server that would make it create an archetype for each of very many sets of
// components. The reason says so.
//
// Proves: Z17
func TestAServerWhoseEntitiesDifferTooMuch(t *testing.T) {
	g := newGameWith(t, func(c *plugin.ServerConfig) { c.Protocol = stateful() })
	client, err := plugin.NewClient(plugin.ClientConfig{Protocol: stateful(), Clock: g.clock, MaxEntities: 100})
	require.NoError(t, err)
	w := ecs.NewWorld()
	client.Initialize(&w)
	c := &player{Client: client, world: &w}
	g.clients = append(g.clients, c)
	g.connect(c, 1)
	g.run(20)
	require.Equal(t, plugin.Connected, c.State(), c.Err())

	replicate := ecs.ComponentID[components.Replicate](g.world)
	spawn := func(set int) ecs.Entity {
		ids := []ecs.ID{replicate}
		for n, id := range states(g.world) {
			if set>>n&1 == 1 {
				ids = append(ids, id)
			}
		}
		return g.world.NewEntity(ids...)
	}
	made := 0
	for made < 1<<11 && c.State() == plugin.Connected {
		var entities []ecs.Entity
		for range 32 {
			entities = append(entities, spawn(made))
			made++
		}
		g.run(3)
		for _, e := range entities {
			g.world.RemoveEntity(e)
		}
		g.run(3)
	}
	assert.InDelta(t, 1024, made, 64)
	assert.Equal(t, plugin.Disconnected, c.State())
	assert.ErrorContains(t, c.Err(), "more different components than this client takes, 1024 sets of them")
	assert.ErrorContains(t, c.Err(), "ClientConfig.MaxEntities")
	assert.Zero(t, w.Stats().Entities.Used)
}
