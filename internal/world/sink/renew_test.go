package sink

import (
	"testing"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a reference waits for that came when its entity was gone is not who has the
// name next; one that came later means that.
//
// Proves: R27
func TestAReferenceDoesNotWaitForWhoHasTheNameNext(t *testing.T) {
	for _, renew := range []func(c *Copy, since entangle.Tick){
		func(c *Copy, since entangle.Tick) { c.Renew(repl.ID{Group: 5}, since) },
		func(c *Copy, since entangle.Tick) { c.RenewAll(5, since) },
	} {
		h := newHand(t)
		h.come(1, h.one(5))
		said := h.copy.stage.tick
		h.come(2, h.one(6))
		h.copy.RenewAll(5, said)
		h.copy.Renew(repl.ID{Group: 5}, said)
		assert.Equal(t, 2, h.waiting(), "it was said then, and means whom it names since then")
		h.copy.Renew(repl.ID{Group: 5, Member: 1}, said+1)
		h.copy.RenewAll(4, said+1)
		assert.Equal(t, 2, h.waiting(), "others are meant")
		renew(h.copy, said+1)
		assert.Equal(t, 1, h.waiting(), "that of the other handle")
		assert.Zero(t, h.copy.entities[0].waits)
		h.come(5)
		h.come(6)
		assert.Equal(t, ecs.Entity{}, at[heldOne](h, 1).To)
		assert.Equal(t, h.entity(6), at[heldOne](h, 2).To)
	}
}

// A number in a group is given again when all are used, and a handle when it has rested, also to
// a group of which a client hears only by the name of who was born there. Who notes whom has gone
// does not note the next of that name then; who notes that one does.
//
// Proves: R27
func TestWhoIsNotedIsNotTheNextOfThatName(t *testing.T) {
	k := newNotes(t)
	alone, shared := components.Replicate{}, components.Replicate{Group: 7}
	seen, hidden := components.Replicate{Target: k.publisher.Sight.Targets.Only(1)}, components.Replicate{Target: components.Nobody}
	for _, test := range []struct {
		name              string
		first, born, told components.Replicate // the next is born in one way, and told of in another
		others            int                  // that come and go before the name is given again
	}{
		{"a handle", alone, alone, alone, 0},
		{"a handle, by the name", alone, alone, shared, 0},
		{"a private one", seen, seen, seen, 0},
		{"a private one, by the name", seen, hidden, shared, 0},
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
			next := k.spawnAs(test.born, test.told)
			other := k.note(next)
			k.send()
			require.Equal(t, was, k.id(next))
			assert.False(t, k.far.Alive(k.noted(by)))
			assert.Equal(t, k.there(next), k.noted(other))
		})
	}
}

// noters are relatives of whom some note another.
type noters struct {
	*relatives
	notes, copied ecs.ID
}

func newNotes(t testing.TB) *noters {
	k := &noters{relatives: newRelatives(t)}
	k.publisher.Admit(1, k.peer)
	k.notes, k.copied = ecs.ComponentID[kinNotes](k.world), ecs.ComponentID[kinNotes](k.far)
	k.spawnMany(1) // the group goes on
	return k
}

func (k *noters) note(of ecs.Entity) ecs.Entity {
	e := k.world.NewEntity(k.marker, k.notes)
	(*kinNotes)(k.world.Get(e, k.notes)).Of = of
	return e
}

// noted returns whom the copy of one notes.
func (k *noters) noted(by ecs.Entity) ecs.Entity {
	return (*kinNotes)(k.far.Get(k.there(by), k.copied)).Of
}

func (k *noters) id(e ecs.Entity) repl.ID {
	id, ok := k.peer.ID(k.slot(e))
	require.True(k.t, ok)
	return id
}

// spawnAs makes an entity that is born one way and, of another, is so a tick after, before
// anything is sent.
func (k *noters) spawnAs(born, told components.Replicate) ecs.Entity {
	e := k.spawn()
	marker := func() *components.Replicate { return (*components.Replicate)(k.world.Get(e, k.marker)) }
	*marker() = born
	if told != born {
		k.observe()
		*marker() = told
	}
	return e
}

// spawnMany brings n entities into the group that goes on.
func (k *noters) spawnMany(n int) (all []ecs.Entity) {
	shared := components.Replicate{Group: 7}
	for range n {
		all = append(all, k.spawnAs(shared, shared))
	}
	k.send()
	return all
}

// remove ends entities, and waits until their names may be given again.
func (k *noters) remove(all []ecs.Entity) {
	for _, e := range all {
		k.world.RemoveEntity(e)
	}
	for range 150 {
		k.send()
	}
}
