package sink

import (
	"testing"

	"github.com/entangle-ecs/entangle/components"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mark adds components.Persistent to an entity of the copy.
func (h *hand) mark(e ecs.Entity) {
	h.world.Add(e, ecs.ComponentID[components.Persistent](h.world))
}

// An orphaned entity stays, too, and no longer belongs to the copy.
//
// Proves: R19
func TestWhatWasLetGoCanBePersistent(t *testing.T) {
	h := newHand(t)
	h.come(1, h.links(7))
	e := h.entity(1)
	h.mark(e)
	h.record(func() { h.release(1) })
	h.applier.Clear()
	require.True(t, h.world.Alive(e))
	assert.False(t, h.world.Has(e, ecs.ComponentID[components.Remote](h.world)))
	h.applier.Clear()
	assert.True(t, h.world.Alive(e))
	assert.Empty(t, h.applier.Replicas.orphans.list)
}

// References of an entity that stays are not set by a later connection, which gives the same
// network ids to other entities. References to despawned entities are dead, and those to entities
// that stay are valid.
//
// Proves: R19
func TestReferencesOfWhatStays(t *testing.T) {
	h := newHand(t)
	h.come(1, h.links(1))
	h.come(2)
	h.come(3, h.links(9, 1, 2, 4), h.one(5))
	kept, other, lost := h.entity(3), h.entity(1), h.entity(2)
	h.mark(kept)
	h.mark(other)
	require.Equal(t, 2, h.waiting())
	h.applier.Clear()
	clear(h.slots)
	require.Zero(t, h.waiting())
	h.come(4)
	h.come(5)
	links := (*heldLinks)(h.world.Get(kept, ecs.ComponentID[heldLinks](h.world)))
	assert.Equal(t, heldLinks{To: [3]ecs.Entity{other, lost}, Count: 9}, *links)
	assert.True(t, h.world.Alive(other))
	assert.False(t, h.world.Alive(lost))
	assert.True(t, (*heldOne)(h.world.Get(kept, ecs.ComponentID[heldOne](h.world))).To.IsZero())
}
