package columns

import (
	"testing"

	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mask returns a set of columns.
func mask(cols ...int) (m set.Mask) {
	for _, c := range cols {
		m.Set(c)
	}
	return m
}

// TestUndoOfAnUntrackedEntity checks that an entity that got the marker after its creation returns
// to its previous form, and that one created since the last Sync is removed.
func TestUndoOfAnUntrackedEntity(t *testing.T) {
	x := newTestWorld(t)
	parent := x.w.NewEntity()
	old := x.w.NewEntity(x.id(colHealth), x.parent)
	x.wr.SetTarget(old, x.parent, parent)
	x.observe(t)
	x.w.Exchange(old, []ecs.ID{x.marker, x.id(colTag)}, []ecs.ID{x.id(colHealth)})
	created := x.w.NewEntity(x.id(colHealth))
	x.w.Add(created, x.marker)
	require.NoError(t, x.table.Sync())
	assert.Equal(t, []UndoRecord{
		{
			Slot: x.slot(t, old), Entity: old, Was: Form{Alive: true, Mask: mask(colHealth, colParent), Target: parent},
			Is: Form{Alive: true, Marked: true, Mask: mask(colTag, colParent), Target: parent},
		},
		{Slot: x.slot(t, created), Entity: created, Is: Form{Alive: true, Marked: true, Mask: mask(colHealth)}},
	}, x.table.Undo())

	require.NoError(t, x.table.Sync())
	assert.Empty(t, x.table.Undo(), "nothing has changed since")
}

// TestUndoOfALateCreationEvent uses an earlier listener that adds the marker to a new entity, so
// that the table receives that event first.
func TestUndoOfALateCreationEvent(t *testing.T) {
	x := newTestWorld(t)
	x.meddle(nil)
	x.observe(t)
	x.meddle(func(e ecs.Entity) { x.w.Add(e, x.marker) })
	x.table.canary.listener = listenerOf(&x.w)
	e := x.w.NewEntity(x.id(colHealth))
	x.observe(t)
	assert.Equal(t, []UndoRecord{
		{Slot: x.slot(t, e), Entity: e, Is: Form{Alive: true, Marked: true, Mask: mask(colHealth)}},
	}, x.table.Undo())
}

// TestEndedIsReadableUntilTheNextObserve removes an entity and creates and removes others before the next Observe. The
// second time, buffers are reused.
func TestEndedIsReadableUntilTheNextObserve(t *testing.T) {
	x := newTestWorld(t)
	parent, other := x.spawn(), x.spawn(colHealth)
	for range 3 {
		e := x.spawn(colHealth, colParent)
		x.wr.SetTarget(e, x.parent, parent)
		(*testHealth)(x.w.Get(e, x.id(colHealth))).Points = 7
		x.observe(t)
		slot := x.slot(t, e)
		x.w.RemoveEntity(e)
		for _, look := range []func() error{x.table.Sync, func() error { return x.table.Observe(2) }, x.table.Sync} {
			require.NoError(t, look())
			assert.Equal(t, e, x.table.Entity(slot))
			assert.Equal(t, mask(colHealth, colParent), x.table.Mask(slot))
			assert.Equal(t, parent, x.table.Target(slot))
			assert.Equal(t, []byte{7, 0, 0, 0}, x.table.Known(slot, colHealth))
			assert.Nil(t, x.table.Value(slot, colHealth), "Arche has removed it")
			x.w.RemoveEntity(x.spawn(colHealth))
			x.wr.Exchange(other, []ecs.ID{x.local}, nil, nil)
			x.wr.Exchange(other, nil, []ecs.ID{x.local}, nil)
		}
		x.observe(t)
		assert.Zero(t, x.table.Entity(slot))
		assert.Zero(t, x.table.Mask(slot))
		assert.Zero(t, x.table.Target(slot))
		assert.Nil(t, x.table.Known(slot, colHealth))
	}
}

// TestKnownIsTheValueOfTheLastObserve reads live and paused entities.
func TestKnownIsTheValueOfTheLastObserve(t *testing.T) {
	x := newTestWorld(t)
	e := x.spawn(colHealth)
	assert.Nil(t, x.table.Known(x.slot(t, e), colHealth), "no Sync has placed it")
	x.observe(t)
	slot := x.slot(t, e)
	(*testHealth)(x.w.Get(e, x.id(colHealth))).Points = 7
	assert.Equal(t, []byte{0, 0, 0, 0}, x.table.Known(slot, colHealth))
	assert.Nil(t, x.table.Known(slot, colPosition))
	x.observe(t)
	assert.Equal(t, []byte{7, 0, 0, 0}, x.table.Known(slot, colHealth))
	x.w.Remove(e, x.marker)
	for range 2 {
		x.observe(t)
		assert.Equal(t, []byte{7, 0, 0, 0}, x.table.Known(slot, colHealth))
	}
}

// TestSlotsOfUnreportedEntitiesAreFreed creates entities that exist only between two Observes, and
// that only a Sync sees.
func TestSlotsOfUnreportedEntitiesAreFreed(t *testing.T) {
	x := newTestWorld(t)
	for range 10 {
		brief, strange := x.spawn(colHealth), x.spawn(colHealth)
		require.NoError(t, x.table.Sync())
		require.Len(t, x.table.Undo(), 2)
		x.w.RemoveEntity(brief)
		x.w.Remove(strange, x.marker)
		x.observe(t)
		require.Empty(t, x.table.Despawned())
	}
	assert.LessOrEqual(t, x.table.Slots(), 5)
}

// TestUndoRestoresAWorld makes a change of each kind, and restores the form of every entity by the records, as a rollback
// does.
func TestUndoRestoresAWorld(t *testing.T) {
	x := newTestWorld(t)
	parents := []ecs.Entity{x.spawn(), x.spawn()}
	child, plain, pauses, dies := x.spawn(colHealth, colParent), x.spawn(colFlags), x.spawn(colBody), x.spawn(colThirteen, colTag)
	unmarked := x.w.NewEntity(x.id(colHealth))
	x.wr.SetTarget(child, x.parent, parents[0])
	x.observe(t)
	before := x.copy(nil).forms

	var log []UndoRecord
	for _, tick := range []func(){
		func() {
			x.wr.SetTarget(child, x.parent, parents[1])
			x.wr.Exchange(plain, []ecs.ID{x.id(colBody), x.id(colTag)}, []ecs.ID{x.id(colFlags)}, nil)
			x.w.Add(unmarked, x.marker)
			x.spawn(colHealth)
		},
		func() {
			x.w.Remove(pauses, x.marker)
			x.wr.Exchange(child, nil, []ecs.ID{x.parent}, nil)
			x.w.RemoveEntity(dies)
			x.spawn(colHealth)
		},
	} {
		tick()
		require.NoError(t, x.table.Sync())
		log = append(log, x.table.Undo()...)
	}
	again := map[ecs.Entity]ecs.Entity{}
	for i := len(log) - 1; i >= 0; i-- {
		x.restore(&log[i], again)
	}
	after := x.copy(nil).forms
	before[again[dies]] = before[dies]
	delete(before, dies)
	assert.Equal(t, before, after)
}

// restore gives an entity its previous form. If the entity was removed, it creates a new one.
func (x *testWorld) restore(r *UndoRecord, again map[ecs.Entity]ecs.Entity) {
	if !r.Was.Alive {
		x.w.RemoveEntity(r.Entity)
		return
	}
	e := r.Entity
	if !r.Is.Alive {
		e = x.w.NewEntity()
		again[r.Entity] = e
	}
	var add, remove []ecs.ID
	for c, col := range append([]Column{{ID: x.marker}}, x.cols...) {
		should := c == 0 && r.Was.Marked || c > 0 && r.Was.Mask.Has(c-1)
		switch has := x.w.Has(e, col.ID); {
		case should && !has:
			add = append(add, col.ID)
		case has && !should:
			remove = append(remove, col.ID)
		}
	}
	x.wr.Exchange(e, add, remove, nil)
	if x.w.Has(e, x.parent) {
		x.wr.SetTarget(e, x.parent, r.Was.Target)
	}
}
