package columns

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/ecs/event"
	"github.com/mlange-42/arche/listener"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMutedStructureIsNotReported does everything while muted, and then something
// of each kind unmuted.
func TestMutedStructureIsNotReported(t *testing.T) {
	x := newTestWorld(t)
	parent, moves, dies, pauses := x.spawn(), x.spawn(colHealth, colParent), x.spawn(), x.spawn(colHealth)
	x.observe(t)

	x.table.SetMuted(true)
	spawned := x.spawn(colHealth)
	x.w.Exchange(moves, []ecs.ID{x.id(colTag), x.id(colFlags)}, []ecs.ID{x.id(colHealth)})
	x.wr.SetTarget(moves, x.parent, parent)
	x.w.RemoveEntity(dies)
	x.w.Remove(pauses, x.marker)
	require.NoError(t, x.table.Sync())
	x.table.SetMuted(false)
	x.observe(t)
	assert.Equal(t, twinDiff{}, onlyFilled(diffOfTable(x.table)))
	assert.Equal(t, 4, x.table.Len())
	assert.Equal(t, parent, x.table.Target(x.slot(t, moves)))

	x.table.SetMuted(true)
	x.w.Add(pauses, x.marker)
	x.w.Add(spawned, x.id(colPosition))
	require.NoError(t, x.table.Sync())
	x.table.SetMuted(false)
	(*testPosition)(x.w.Get(spawned, x.id(colPosition))).X = 1
	x.w.Remove(moves, x.id(colTag))
	x.observe(t)
	var tag Mask
	tag.Set(colTag)
	assert.Equal(t, []StructureChange{{Slot: x.slot(t, moves), Removed: tag}}, x.table.Structure())
	assert.Equal(t, []Slot{x.slot(t, spawned)}, x.table.Changed(colPosition), "the value came after the Sync")
	assert.Empty(t, x.table.Resumed())
}

// TestMutedAndOwnChangesMix: only the game's part of what happens to one entity in
// one tick is reported, in any order.
func TestMutedAndOwnChangesMix(t *testing.T) {
	x := newTestWorld(t)
	mute := func(do func()) {
		x.table.SetMuted(true)
		do()
		x.table.SetMuted(false)
	}
	var e ecs.Entity
	mute(func() { e = x.spawn(colHealth) })
	x.w.Add(e, x.id(colTag))
	mute(func() { x.w.Add(e, x.id(colFlags)) })
	x.w.Remove(e, x.id(colHealth))
	x.observe(t)
	var tag, health Mask
	tag.Set(colTag)
	health.Set(colHealth)
	assert.Equal(t, []StructureChange{{Slot: x.slot(t, e), Inserted: tag, Removed: health}}, x.table.Structure())
	assert.Empty(t, x.table.Spawned())

	x.w.Add(e, x.id(colHealth))
	mute(func() { x.w.Remove(e, x.id(colHealth)) })
	x.observe(t)
	assert.Empty(t, x.table.Structure())
}

// TestListenerBeforeOursChangesTheWorld lets a listener that hears first spawn,
// remove and change entities, so that events reach the table late, nested, and in
// part never: Arche skips entities of a batch that moved meanwhile.
func TestListenerBeforeOursChangesTheWorld(t *testing.T) {
	x := newTestWorld(t, 1)
	depth, count := 0, 0
	meddler := listener.NewCallback(func(w *ecs.World, e ecs.EntityEvent) {
		count++
		if depth > 2 || !w.Alive(e.Entity) || e.Contains(event.EntityRemoved) || w.IsLocked() {
			return
		}
		depth++
		defer func() { depth-- }()
		switch count % 4 {
		case 0:
			w.RemoveEntity(e.Entity)
		case 1:
			x.spawn(colHealth)
		case 2:
			if !w.Has(e.Entity, x.local) {
				w.Add(e.Entity, x.local)
			}
		}
	}, event.All)
	both := listener.NewDispatch(&meddler, x.table.Listener())
	x.w.SetListener(&both)
	for round := range 40 {
		for range 5 {
			x.spawn(colHealth)
		}
		ecs.NewBuilder(&x.w, x.marker, x.id(colHealth), x.id(colFlags)).NewBatch(20)
		if round%3 == 2 {
			mask := ecs.All(x.marker, x.id(colHealth), x.id(colFlags))
			filter := mask.Exclusive()
			x.w.Batch().Exchange(&filter, []ecs.ID{x.id(colTag)}, []ecs.ID{x.id(colFlags)})
		}
		x.observe(t)
		require.Equal(t, x.twin.observe(), diffOfTable(x.table), round)
	}
}

// TestExistingEntitiesAreFound makes the table after the entities.
func TestExistingEntitiesAreFound(t *testing.T) {
	x := newTestWorld(t)
	for range 200 {
		x.spawn(colHealth)
	}
	late, err := New(&x.w, x.marker, x.cols)
	require.NoError(t, err)
	dispatch := listener.NewDispatch(late.Listener())
	x.w.SetListener(&dispatch)
	require.NoError(t, late.Observe(1))
	assert.Len(t, late.Spawned(), 200)
}
