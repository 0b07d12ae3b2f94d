package plugin_test

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

// flagged returns the names of the entities that have a flag.
func (p *player) flagged() (ids []uint32) {
	for id := range uint32(100) {
		e, ok := p.copies()[id]
		m := generic.NewMap1[flag](p.world)
		if ok && m.Get(e) != nil || ok && p.world.Has(e, ecs.ComponentID[flag](p.world)) {
			ids = append(ids, id)
		}
	}
	return ids
}

// A component that is disabled on an entity is not sent, and is removed from clients that had it.
// Once enabled again, it returns with its value.
//
// Proves: R14
func TestAComponentIsDisabledAndEnabled(t *testing.T) {
	g := newGame(t)
	c := g.join(1)
	places := plugin.NewOverride[spot](g.world)
	e, other := g.spawn(spot{1, 2}, name{7}), g.spawn(spot{3, 4}, name{8})
	g.run(30)
	places.SetTarget(e, components.Nobody)
	g.run(10)
	assert.Equal(t, map[uint32]spot{8: {3, 4}}, spots(c.world))
	assert.Equal(t, []uint32{7, 8}, c.ids(), "the entity stays")

	before := g.server.Stats().Replication
	at[spot](g.world, e).X = 5
	g.run(10)
	assert.Equal(t, before, g.server.Stats().Replication, "what it is costs nothing")
	late := g.join(2)
	g.run(30)
	assert.Equal(t, map[uint32]spot{8: {3, 4}}, spots(late.world))
	at[spot](g.world, other).X = 4
	places.SetTarget(e, components.Everyone)
	g.run(10)
	for _, p := range g.clients {
		assert.Equal(t, map[uint32]spot{7: {5, 2}, 8: {4, 4}}, spots(p.world))
	}
}

// A component can have a narrower target than its entity. Narrowing removes it from the other
// clients; widening brings it back with its present value.
//
// Proves: R15
func TestAComponentHasATargetOfItsOwn(t *testing.T) {
	for _, group := range []components.Group{0, 5} {
		g := newGame(t)
		sets := g.targets()
		a, b := g.join(1), g.join(2)
		places := plugin.NewOverride[spot](g.world)
		e := g.spawnIn(components.Everyone, group, spot{1, 2}, name{7})
		g.spawnIn(components.Everyone, group, spot{3, 4}, name{8})
		g.run(30)
		both := func(x float32) map[uint32]spot { return map[uint32]spot{7: {x, 2}, 8: {3, 4}} }
		rest := map[uint32]spot{8: {3, 4}}
		shows := func(as, bs map[uint32]spot) {
			t.Helper()
			g.run(10)
			assert.Equal(t, as, spots(a.world))
			assert.Equal(t, bs, spots(b.world))
			assert.Equal(t, []uint32{7, 8}, a.ids())
			assert.Equal(t, []uint32{7, 8}, b.ids())
		}
		places.SetTarget(e, sets.Only(1))
		shows(both(1), rest)
		at[spot](g.world, e).X = 6
		shows(both(6), rest)
		places.SetTarget(e, components.Owner)
		shows(rest, rest)
		g.control(e, components.ControlledBy{Client: 2})
		shows(rest, both(6))
		places.SetTarget(e, components.NotOwner)
		shows(both(6), rest)
		target, said := places.Target(e)
		assert.True(t, said)
		assert.Equal(t, components.NotOwner, target)
		at[spot](g.world, e).X = 8
		places.Clear(e)
		shows(both(8), both(8))
		_, said = places.Target(e)
		assert.False(t, said)
		places.Clear(e)
		shows(both(8), both(8))
	}
}

// An override that is set before an entity is replicated counts from its first packet on. It holds
// through pauses and ends with the entity.
func TestAnOverrideHoldsAsLongAsItsEntity(t *testing.T) {
	g := newGame(t)
	a, b := g.join(1), g.join(2)
	places := plugin.NewOverride[spot](g.world)
	m := generic.NewMap2[spot, name](g.world)
	e := m.NewWith(&spot{1, 2}, &name{7})
	places.SetTarget(e, g.targets().Only(1))
	g.run(30)
	tags := generic.NewMap1[components.Replicate](g.world)
	tags.Add(e)
	for range 10 {
		g.run(1)
		assert.Empty(t, spots(b.world), "not for a moment")
	}
	assert.Equal(t, map[uint32]spot{7: {1, 2}}, spots(a.world))

	tags.Remove(e)
	g.run(5)
	places.SetTarget(e, components.Nobody)
	g.run(5)
	assert.Equal(t, map[uint32]spot{7: {1, 2}}, spots(a.world), "what is paused stays as it is")
	tags.Add(e)
	g.run(5)
	assert.Empty(t, spots(a.world))
	assert.Equal(t, []uint32{7}, a.ids())

	g.world.RemoveEntity(e)
	next := g.spawn(spot{3, 4}, name{8})
	assert.Equal(t, e.ID(), next.ID(), "the number is used again")
	g.run(10)
	assert.Equal(t, map[uint32]spot{8: {3, 4}}, spots(a.world))
	_, said := places.Target(e)
	assert.False(t, said)

	places.SetTarget(next, components.Nobody)
	g.run(5)
	g.world.RemoveEntity(next)
	g.run(5)
	g.spawn(spot{5, 6}, name{9})
	g.run(10)
	assert.Equal(t, map[uint32]spot{9: {5, 6}}, spots(a.world))
}

// Components are added and removed while they are disabled, and no client receives any of it.
func TestADisabledComponentComesAndGoes(t *testing.T) {
	g := newGame(t)
	c := g.join(1)
	marks := plugin.NewOverride[flag](g.world)
	e := g.spawn(spot{1, 2}, name{7})
	marks.SetTarget(e, components.Nobody)
	g.run(30)
	before := g.server.Stats().Replication
	flags := generic.NewMap1[flag](g.world)
	for range 3 {
		flags.Add(e)
		g.run(3)
		flags.Remove(e)
		g.run(3)
	}
	flags.Add(e)
	g.run(10)
	assert.Equal(t, before, g.server.Stats().Replication)
	assert.Empty(t, c.flagged())
	marks.Clear(e)
	g.run(10)
	assert.Equal(t, []uint32{7}, c.flagged())
	marks.SetTarget(e, components.Nobody)
	flags.Remove(e)
	g.run(10)
	assert.Empty(t, c.flagged())
}

func TestMistakesWithOverridesSayWhatToDo(t *testing.T) {
	g := newGame(t)
	g.run(1)
	assert.PanicsWithValue(t, "plugin: NewOverride[plugin_test.private], which the server does not send; "+
		"register it with protocol.Component[plugin_test.private](p) before the app is made",
		func() { plugin.NewOverride[private](g.world) })
	empty := ecs.NewWorld()
	assert.Panics(t, func() { plugin.NewOverride[spot](&empty) })
	c := g.join(1)
	assert.Panics(t, func() { plugin.NewOverride[spot](c.world) })
	places := plugin.NewOverride[spot](g.world)
	e := g.spawn(spot{}, name{})
	g.world.RemoveEntity(e)
	assert.Panics(t, func() { places.SetTarget(e, components.Nobody) })
	places.Clear(e)
	g.run(1)
}

// onceProtocol has a component that is sent only when it is added and when it is removed.
func onceProtocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "plugin test"})
	protocol.Component[spot](p).ReplicateOnce()
	protocol.Component[name](p)
	return p
}

// A component that is replicated once is added to and removed from clients. Its value is sent with
// the entity, when the component is added again, and to late joiners, but not when it changes.
//
// Proves: R13
func TestWhatIsReplicatedOnceIsNotUpdated(t *testing.T) {
	g := newGameWith(t, func(c *plugin.ServerConfig) { c.Protocol = onceProtocol() })
	c := g.joinWith(onceProtocol(), 1)
	e := g.spawn(spot{1, 2}, name{7})
	g.run(30)
	before := g.server.Stats().Replication
	for range 10 {
		at[spot](g.world, e).X++
		g.run(1)
	}
	assert.Equal(t, before, g.server.Stats().Replication)
	at[name](g.world, e).ID = 8
	g.run(10)
	assert.Equal(t, map[uint32]spot{8: {1, 2}}, spots(c.world), "other components do not take it along")

	late := g.joinWith(onceProtocol(), 2)
	g.run(30)
	assert.Equal(t, map[uint32]spot{8: {11, 2}}, spots(late.world))
	places := generic.NewMap1[spot](g.world)
	places.Remove(e)
	g.run(10)
	assert.Empty(t, spots(c.world))
	places.Assign(e, &spot{5, 5})
	g.run(10)
	assert.Equal(t, map[uint32]spot{8: {5, 5}}, spots(c.world))
}
