package plugin_test

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

// The existence of an input component on an entity is replicated like any component; its value is
// not.
func TestAnInputIsReplicatedWithoutItsValue(t *testing.T) {
	g := newWalkedGame(t)
	c := g.joinWith(walkedProtocol(), 1)
	inserted := plugin.NewReader[plugin.ComponentInserted[walk]](c.world)
	updated := plugin.NewReader[plugin.ComponentUpdated[walk]](c.world)
	removed := plugin.NewReader[plugin.ComponentRemoved[walk]](c.world)
	counts := [3]int{}
	step := func(frames int) [3]int {
		for range frames {
			g.run(1)
			counts[0] += len(inserted.Read())
			counts[1] += len(updated.Read())
			counts[2] += len(removed.Read())
		}
		return counts
	}
	m := generic.NewMap1[walk](g.world)
	others := generic.NewMap3[walk, name, components.Replicate](g.world)
	bot := others.NewWith(&walk{}, &name{7}, &components.Replicate{})
	for range 60 {
		m.Get(bot).DX++
		step(1)
	}
	require.Equal(t, [3]int{1, 0, 0}, counts)
	copies := generic.NewMap1[walk](c.world)
	assert.Equal(t, walk{}, *copies.Get(c.copies()[7]))
	copies.Get(c.copies()[7]).DX = 9
	assert.Equal(t, [3]int{1, 0, 0}, step(30))
	assert.EqualValues(t, 9, copies.Get(c.copies()[7]).DX)

	override := plugin.NewOverride[walk](g.world)
	override.SetTarget(bot, components.Nobody)
	assert.Equal(t, [3]int{1, 0, 1}, step(30))
	override.Clear(bot)
	assert.Equal(t, [3]int{2, 0, 1}, step(30))
	assert.Equal(t, walk{}, *copies.Get(c.copies()[7]), "a new one")
	g.world.Remove(bot, ecs.ComponentID[walk](g.world))
	assert.Equal(t, [3]int{2, 0, 2}, step(30))
}

// nod is an input without data: only its presence counts.
type nod struct{}

// An input may have no bytes: its presence is the input.
func TestAnInputOfNoBytes(t *testing.T) {
	noddedProtocol := func() *protocol.Protocol {
		p := ownedProtocol()
		protocol.Input[nod](p)
		return p
	}
	fresh := 0
	g := newGameWith(t, func(c *plugin.ServerConfig) { c.Protocol = noddedProtocol() }, func(s *plugin.Server) {
		s.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
			acted := plugin.NewReader[plugin.InputReceived[nod]](w)
			return func() {
				for _, event := range acted.Read() {
					if event.Status == plugin.FreshInput {
						fresh++
					}
				}
			}
		}))
	})
	c := g.joinWith(noddedProtocol(), 1)
	nodders := generic.NewMap4[nod, name, components.ControlledBy, components.Replicate](g.world)
	e := nodders.NewWith(&nod{}, &name{1}, &components.ControlledBy{Client: 1}, &components.Replicate{})
	g.run(300)
	assert.Greater(t, fresh, 100)
	assert.Equal(t, []uint32{1}, c.controlled())
	assert.True(t, g.world.Alive(e))
	inputs := plugin.NewInputs[nod](g.world)
	assert.Equal(t, plugin.FreshInput, inputs.Status(e))
}
