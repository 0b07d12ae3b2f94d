package plugin_test

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

// ownAheadProtocol has predicted components, and tells clients which entities they own.
func ownAheadProtocol() *protocol.Protocol {
	p := aheadProtocol()
	protocol.Component[components.ControlledBy](p)
	return p
}

// predicted returns the names of a player's predicted entities. It checks that no other entity has
// the marker, and that none of them has the marker of entities that are not simulated here.
func (p *player) predicted(t *testing.T) (ids []uint32) {
	predicted, remote := ecs.ComponentID[components.Predicted](p.world), ecs.ComponentID[components.Remote](p.world)
	for _, id := range p.ids() {
		e := p.copies()[id]
		assert.NotEqual(t, p.world.Has(e, predicted), p.world.Has(e, remote), "entity %d", id)
		if p.world.Has(e, predicted) {
			ids = append(ids, id)
		}
	}
	return ids
}

// An entity is predicted exactly on the clients of its prediction target. This holds through
// changes of the target, owner, rooms and groups, and for clients that join later or reconnect.
//
// Proves: B25
func TestAnEntityIsPredictedOnTheClientsOfItsTarget(t *testing.T) {
	g := newGameWith(t, func(c *plugin.ServerConfig) { c.Protocol = ownAheadProtocol() })
	a, b := g.joinWith(ownAheadProtocol(), 1), g.joinWith(ownAheadProtocol(), 2)
	g.run(30)
	e, other := g.spawnOf(components.Replicate{Predict: components.Owner}, 7), g.spawnOf(components.Replicate{}, 8)
	expect := func(what string, of map[*player][]uint32) {
		t.Helper()
		g.run(20)
		for p, ids := range of {
			assert.Equal(t, ids, p.predicted(t), what)
		}
	}
	rooms := plugin.NewRooms(g.world)
	one, both := []uint32{7}, []uint32{7, 8}
	expect("there is no owner", map[*player][]uint32{a: nil, b: nil})
	g.control(e, components.ControlledBy{Client: 1})
	expect("it has an owner", map[*player][]uint32{a: one, b: nil})
	g.control(e, components.ControlledBy{Client: 2})
	expect("and another", map[*player][]uint32{a: nil, b: one})
	g.tag(e).Predict = g.targets().Only(1, 3)
	expect("a set", map[*player][]uint32{a: one, b: nil})
	c := g.joinWith(ownAheadProtocol(), 3)
	expect("who comes later", map[*player][]uint32{a: one, b: nil, c: one})
	g.tag(e).Group, g.tag(other).Group = 5, 5
	g.tag(other).Predict = g.targets().Only(3)
	expect("two in one group", map[*player][]uint32{a: one, b: nil, c: both})
	g.tag(e).Predict = g.targets().Room(9)
	rooms.AddClient(9, 2)
	expect("a room", map[*player][]uint32{a: nil, b: one, c: {8}})
	rooms.RemoveClient(9, 2)
	g.tag(e).Group = 0
	expect("who has left it", map[*player][]uint32{a: nil, b: nil, c: {8}})
	g.tag(e).Predict, g.tag(e).Target = components.Everyone, g.targets().Except(2)
	expect("who is not shown it", map[*player][]uint32{a: one, b: nil, c: both})
	assert.Equal(t, []uint32{8}, b.ids())
	g.tag(e).Target = components.Everyone
	a.Disconnect()
	expect("who is shown it", map[*player][]uint32{b: one, c: both})
	assert.Empty(t, a.ids())
	g.connect(a, 1)
	expect("who is back", map[*player][]uint32{a: one, b: one, c: both})
	g.world.Remove(e, ecs.ComponentID[components.Replicate](g.world))
	expect("a pause", map[*player][]uint32{a: nil, b: nil, c: {8}})
	g.world.Add(e, ecs.ComponentID[components.Replicate](g.world))
	g.tag(e).Predict = components.NotOwner
	expect("after it", map[*player][]uint32{a: one, b: nil, c: both})
}
