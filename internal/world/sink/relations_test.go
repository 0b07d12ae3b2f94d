package sink

import (
	"testing"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/entangle-ecs/entangle/protocol/bits"
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/ecs/event"
	"github.com/mlange-42/arche/listener"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A relation is replicated with its value and its target, when it is added, changed and removed.
//
// Proves: H9
func TestARelationIsReplicatedWithItsTarget(t *testing.T) {
	k := newRelatives(t)
	a, b, e := k.spawn(), k.spawn(), k.spawn()
	k.relate(e, k.knows, a)
	(*relativeKnows)(k.world.Get(e, k.knows)).Since = 7
	k.send()
	k.requireEqual()
	assert.Equal(t, k.there(a), k.target(e, k.knows))
	assert.Equal(t, uint8(7), (*relativeKnows)(k.far.Get(k.there(e), ecs.ComponentID[relativeKnows](k.far))).Since)
	assert.Contains(t, k.took(), "relativeKnows inserted")

	k.world.Relations().Set(e, k.knows, b)
	k.send()
	assert.Equal(t, k.there(b), k.target(e, k.knows))
	assert.Equal(t, []string{"relativeKnows updated"}, k.took())

	k.world.Relations().Set(e, k.knows, ecs.Entity{})
	k.send()
	assert.Equal(t, ecs.Entity{}, k.target(e, k.knows))
	assert.Equal(t, []string{"relativeKnows updated"}, k.took())

	k.world.Relations().Exchange(e, []ecs.ID{k.fears}, []ecs.ID{k.knows}, k.fears, a)
	k.send()
	k.requireEqual()
	assert.Equal(t, k.there(a), k.target(e, k.fears))
	assert.ElementsMatch(t, []string{"relativeKnows removed", "relativeFears inserted"}, k.took())

	k.world.Remove(e, k.fears)
	k.send()
	k.requireEqual()
	assert.Equal(t, []string{"relativeFears removed"}, k.took())
}

// Entities with a relation that has a value are decoded correctly next to others.
func TestAValueOfARelationChangesAlone(t *testing.T) {
	k := newRelatives(t)
	a, e := k.spawn(), k.spawn()
	k.relate(e, k.knows, a)
	k.send()
	for i := range 20 {
		(*relativeBody)(k.world.Get(a, k.body)).N++
		(*relativeBody)(k.world.Get(e, k.body)).N++
		(*relativeKnows)(k.world.Get(e, k.knows)).Since = uint8(i)
		k.send()
		k.requireEqual()
	}
	assert.Greater(t, k.receiver.Stats().Updates, uint64(20))
}

// A target that has not arrived is the zero entity until it does. When it despawns, the relation
// gets the zero entity: a dead target would keep an archetype of its own in memory.
func TestATargetThatIsNotThereIsNone(t *testing.T) {
	k := newRelatives(t)
	stranger, e := k.world.NewEntity(k.body), k.spawn()
	k.relate(e, k.knows, stranger)
	k.send()
	assert.Equal(t, ecs.Entity{}, k.target(e, k.knows))
	k.world.Add(stranger, k.marker)
	k.send()
	k.requireEqual()
	assert.Equal(t, k.there(stranger), k.target(e, k.knows))
	k.took()

	k.world.RemoveEntity(stranger)
	k.send()
	k.requireEqual()
	assert.Equal(t, ecs.Entity{}, k.target(e, k.knows))
	assert.Equal(t, []string{"relativeKnows updated"}, k.took())

	k.world.Relations().Set(e, k.knows, k.spawn())
	k.send()
	k.requireEqual()
	assert.NotEqual(t, ecs.Entity{}, k.target(e, k.knows))
	waiting, _ := k.applier.LateReferences()
	assert.Zero(t, waiting)
}

// A relation waits for a target that is hidden in the same tick like for any other.
func TestARelationWaitsForATargetThatIsHiddenAtOnce(t *testing.T) {
	k := newRelatives(t)
	a, e := k.spawn(), k.spawn()
	of := func(e ecs.Entity) *components.Replicate { return (*components.Replicate)(k.world.Get(e, k.marker)) }
	of(a).Group, of(e).Group = 1, 1
	k.send()
	k.relate(e, k.knows, a)
	*of(a) = components.Replicate{Target: components.Nobody}
	k.send()
	assert.Equal(t, ecs.Entity{}, k.target(e, k.knows))
	waiting, _ := k.applier.LateReferences()
	assert.Equal(t, 1, waiting)
	k.took()

	*of(a) = components.Replicate{Group: 1}
	k.send()
	k.requireEqual()
	assert.NotEqual(t, ecs.Entity{}, k.there(a))
	assert.Equal(t, k.there(a), k.target(e, k.knows))
	assert.Contains(t, k.took(), "relativeKnows updated")
}

// The target of a relation is in place when a listener is called.
func TestARelationIsThereBeforeAnyListenerHearsOfIt(t *testing.T) {
	k := newRelatives(t)
	far := k.far
	knows, body := ecs.ComponentID[relativeKnows](far), ecs.ComponentID[relativeBody](far)
	var received int
	l := listener.NewCallback(func(w *ecs.World, evt ecs.EntityEvent) {
		if w.Has(evt.Entity, knows) {
			received++
			assert.False(t, w.Relations().Get(evt.Entity, knows).IsZero())
			assert.Equal(t, uint8(3), (*relativeKnows)(w.Get(evt.Entity, knows)).Since)
			assert.True(t, w.Has(evt.Entity, body))
		}
	}, event.All)
	far.SetListener(&l)
	a, e := k.spawn(), k.spawn()
	k.relate(e, k.knows, a)
	(*relativeKnows)(k.world.Get(e, k.knows)).Since = 3
	k.send()
	assert.Equal(t, 2, received)
	k.requireEqual()
}

// An entity can have only one relation: where the game gave the replica another one, the server's
// wins.
func TestTheSendersRelationCountsOverTheGames(t *testing.T) {
	k := newRelatives(t)
	a, e := k.spawn(), k.spawn()
	k.send()
	type local struct{ ecs.Relation }
	far := k.far
	for _, id := range []ecs.ID{ecs.ComponentID[local](far), ecs.ComponentID[relativeFears](far)} {
		far.Relations().Exchange(k.there(e), []ecs.ID{id}, nil, id, k.there(a))
		k.relate(e, k.knows, a)
		k.send()
		k.requireEqual()
		assert.False(t, far.Has(k.there(e), id))
		k.world.Remove(e, k.knows)
		k.send()
	}
}

// The game may remove the target or the relation of a replica.
func TestWhatTheGameTakesFromARelationIsNoHarm(t *testing.T) {
	k := newRelatives(t)
	a, b, e := k.spawn(), k.spawn(), k.spawn()
	k.relate(e, k.knows, a)
	k.send()
	knows := ecs.ComponentID[relativeKnows](k.far)
	dead := k.there(b)
	k.far.RemoveEntity(dead)
	k.world.Relations().Set(e, k.knows, b)
	k.send()
	assert.Equal(t, ecs.Entity{}, k.target(e, k.knows))
	k.far.Remove(k.there(e), knows)
	k.world.Relations().Set(e, k.knows, a)
	k.send()
	assert.Equal(t, k.there(a), k.target(e, k.knows))
	k.far.RemoveEntity(k.there(e))
	k.world.RemoveEntity(a)
	k.send()
}

// After the connection ends, relations between entities that stay are kept.
func TestTheRelationsOfWhatStays(t *testing.T) {
	k := newRelatives(t)
	a, b, e, f := k.spawn(), k.spawn(), k.spawn(), k.spawn()
	k.relate(e, k.knows, a)
	k.relate(f, k.knows, b)
	k.send()
	persistent, knows := ecs.ComponentID[components.Persistent](k.far), ecs.ComponentID[relativeKnows](k.far)
	stays := []ecs.Entity{k.there(e), k.there(f), k.there(b)}
	for _, far := range stays {
		k.far.Add(far, persistent)
	}
	k.applier.Clear()
	assert.Equal(t, ecs.Entity{}, k.far.Relations().Get(stays[0], knows))
	assert.Equal(t, stays[2], k.far.Relations().Get(stays[1], knows))
}

// An entity that is its own target cannot be removed from an Arche world: on a copy such a relation
// has no target.
func TestAnEntityIsNotItsOwnTarget(t *testing.T) {
	k := newRelatives(t)
	e := k.spawn()
	k.relate(e, k.knows, e)
	k.send()
	assert.Equal(t, ecs.Entity{}, k.target(e, k.knows))
	k.world.Relations().Set(e, k.knows, ecs.Entity{})
	k.world.RemoveEntity(e)
	k.send()
	assert.Zero(t, k.applier.Replicas.Len())
}

// number returns the number of a component of the copy.
func (k *relatives) number(name string) int {
	for _, info := range k.infos {
		if info.Type.Name() == name {
			return info.Number
		}
	}
	k.t.Fatal("no component " + name)
	return 0
}

// hostile states a member with the given components, all bits zero.
func (k *relatives) hostile(comps ...int) error {
	var w bits.Writer
	for range 8 {
		w.Bits(0, 64)
	}
	r := &bits.Reader{}
	r.Reset(w.Finish())
	k.applier.Begin(1, 1)
	s := k.applier.Spawn(repl.ID{Group: 1})
	k.applier.Member(s, true)
	for _, comp := range comps {
		if err := k.applier.Insert(r, comp, noTargets{}); err != nil {
			k.applier.Discard()
			return err
		}
	}
	k.applier.Commit()
	return nil
}

type noTargets struct{}

func (noTargets) At(index uint32) (receiver.Target, bool) {
	return receiver.Target{Slot: repl.NoSlot}, index == 0
}

// Arche panics at an entity with two relations.
func TestAPeerCannotGiveAnEntityTwoRelations(t *testing.T) {
	k := newRelatives(t)
	require.NoError(t, k.hostile(k.number("relativeKnows"), k.number("relativeBody")))
	require.ErrorIs(t, newRelatives(t).hostile(k.number("relativeKnows"), k.number("relativeFears")), source.ErrTwoRelations)
}

func TestATargetOutsideTheTableIsMalformed(t *testing.T) {
	k := newRelatives(t)
	var w bits.Writer
	w.Uvarint(1)
	r := &bits.Reader{}
	r.Reset(w.Finish())
	k.applier.Begin(1, 1)
	k.applier.Member(k.applier.Spawn(repl.ID{Group: 1}), true)
	require.ErrorIs(t, k.applier.Insert(r, k.number("relativeFears"), noTargets{}), wire.ErrReference)
	k.applier.Discard()
	assert.Zero(t, k.applier.Replicas.Len())
}
