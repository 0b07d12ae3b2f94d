package sink

import (
	"testing"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A reference to an entity that has ended does not wait once its handle has reached a later generation.
//
// Proves: R27
func TestAReferenceDoesNotWaitForALaterGeneration(t *testing.T) {
	h := newHand(t)
	h.come(1, h.one(5))
	h.come(2, h.one(6))
	h.applier.Outdate(4, 1)
	h.applier.Outdate(5, 0)
	assert.Equal(t, 2, h.waiting(), "others are meant")
	h.applier.Outdate(5, 1)
	assert.Equal(t, 1, h.waiting(), "that of the other handle")
	assert.Zero(t, h.applier.Replicas.entities[0].waits)
	h.come(5)
	h.come(6)
	assert.Equal(t, ecs.Entity{}, at[heldOne](h, 1).To)
	assert.Equal(t, h.entity(6), at[heldOne](h, 2).To)
}

// A handle is used again, also one by which a client knows only entities in other groups, and a number of
// a group when all were used. A reference to the despawned entity does not point to the next entity with
// the handle or the number; a reference to the new one does.
//
// Proves: R27
func TestAReferenceDoesNotLeadToTheNextEntityOfAHandle(t *testing.T) {
	k := newNotes(t)
	alone, shared := components.Replicate{}, components.Replicate{Group: 7}
	seen, hidden := components.Replicate{Target: k.collector.Visibility.Targets.Only(1)}, components.Replicate{Target: components.Nobody}
	for _, test := range []struct {
		name              string
		first, born, sent components.Replicate // first is of the first entity; the next one spawns with born, and is sent with sent
		others            int                  // spawned and despawned before the number is used again
	}{
		{"a handle", alone, alone, alone, 0},
		{"a handle, of an entity elsewhere", alone, alone, shared, 0},
		{"a private one", seen, seen, seen, 0},
		{"a private one, of an entity elsewhere", seen, hidden, shared, 0},
		{"a number", shared, shared, shared, repl.MaxMembers},
	} {
		t.Run(test.name, func(t *testing.T) {
			first := k.spawnAs(test.first, test.first)
			by := k.note(first)
			k.send()
			was := k.id(first)
			require.Equal(t, k.there(first), k.noted(by))

			k.remove(append(k.spawnMany(test.others), first))
			require.False(t, k.far.Alive(k.noted(by)))
			next := k.spawnAs(test.born, test.sent)
			other := k.note(next)
			k.send()
			require.NotEqual(t, was, k.id(next))
			if test.others == 0 {
				require.Equal(t, was.Group, k.id(next).Group)
			}
			assert.False(t, k.far.Alive(k.noted(by)))
			assert.Equal(t, k.there(next), k.noted(other))
		})
	}
}

// noters is a world of relatives in which some entities refer to another one.
type noters struct {
	*relatives
	notes, copied ecs.ID
}

func newNotes(t testing.TB) *noters {
	k := &noters{relatives: newRelatives(t)}
	k.collector.Admit(1, k.peer)
	k.notes, k.copied = ecs.ComponentID[relativeNotes](k.world), ecs.ComponentID[relativeNotes](k.far)
	k.spawnMany(1) // keeps the group alive
	return k
}

func (k *noters) note(of ecs.Entity) ecs.Entity {
	e := k.world.NewEntity(k.marker, k.notes)
	(*relativeNotes)(k.world.Get(e, k.notes)).Of = of
	return e
}

// noted returns the entity that the replica refers to.
func (k *noters) noted(by ecs.Entity) ecs.Entity {
	return (*relativeNotes)(k.far.Get(k.there(by), k.copied)).Of
}

func (k *noters) id(e ecs.Entity) repl.ID {
	id, ok := k.peer.ID(k.slot(e))
	require.True(k.t, ok)
	return id
}

// spawnAs spawns an entity with one Replicate and gives it another one a tick later, before it is
// sent.
func (k *noters) spawnAs(born, sent components.Replicate) ecs.Entity {
	e := k.spawn()
	marker := func() *components.Replicate { return (*components.Replicate)(k.world.Get(e, k.marker)) }
	*marker() = born
	if sent != born {
		k.observe()
		*marker() = sent
	}
	return e
}

// spawnMany spawns n entities in the group that is kept alive.
func (k *noters) spawnMany(n int) (all []ecs.Entity) {
	shared := components.Replicate{Group: 7}
	for range n {
		all = append(all, k.spawnAs(shared, shared))
	}
	k.send()
	return all
}

// remove despawns entities, and waits until their handles are used again.
func (k *noters) remove(all []ecs.Entity) {
	for _, e := range all {
		k.world.RemoveEntity(e)
	}
	for range 150 {
		k.send()
	}
}
