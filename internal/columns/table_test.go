package columns

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestEqualValueIsNoChange writes equal values, and values with differences that Column.Equal ignores.
//
// Proves: R16
func TestEqualValueIsNoChange(t *testing.T) {
	x := newTestWorld(t)
	e := x.spawn(colHealth, colBody)
	x.observe(t)
	health := (*testHealth)(x.w.Get(e, x.id(colHealth)))
	body := (*testBody)(x.w.Get(e, x.id(colBody)))

	health.Points, body.X = 0, 0
	x.observe(t)
	assert.Empty(t, x.table.Changed(colHealth), "the written values equal the previous ones")
	assert.Empty(t, x.table.Changed(colBody))

	body.X = math.Float64frombits(1)
	x.observe(t)
	assert.Empty(t, x.table.Changed(colBody), "Equal treats the smallest number like 0")

	health.Points = 5
	health.Points = 0
	x.observe(t)
	assert.Empty(t, x.table.Changed(colHealth), "a change undone before Observe leaves no trace")

	health.Points, body.X = 5, 1
	x.observe(t)
	slot := []Slot{x.slot(t, e)}
	assert.Equal(t, slot, x.table.Changed(colHealth))
	assert.Equal(t, slot, x.table.Changed(colBody))
}

// TestNothingChangedReportsNothing observes a large unchanged world repeatedly.
//
// Proves: R33
func TestNothingChangedReportsNothing(t *testing.T) {
	x := newTestWorld(t, 1)
	for range 1000 {
		e := x.spawn(colPosition, colHealth, colFlags, colBody, colThirteen, colTag)
		(*testHealth)(x.w.Get(e, x.id(colHealth))).Points = int32(e.ID())
	}
	x.observe(t)
	require.Len(t, x.table.Spawned(), 1000)
	x.twin.observe()
	for range 3 {
		x.observe(t)
		assert.Equal(t, x.twin.observe(), diffOfTable(x.table))
		assert.Equal(t, twinDiff{}, onlyFilled(diffOfTable(x.table)))
	}
}

// onlyFilled drops empty maps, for comparison with the zero value.
func onlyFilled(d twinDiff) twinDiff {
	if len(d.Inserted) == 0 {
		d.Inserted = nil
	}
	if len(d.Removed) == 0 {
		d.Removed = nil
	}
	if len(d.Changed) == 0 {
		d.Changed = nil
	}
	return d
}

// TestEqualSeesOldAndNew checks the arguments of Column.Equal, in small and in large segments.
func TestEqualSeesOldAndNew(t *testing.T) {
	for _, n := range []int{1, 200} {
		x := newTestWorld(t)
		type pair struct{ before, after uint64 }
		var asked []pair
		x.table.cols[colBody].Equal = func(before, after []byte) bool {
			asked = append(asked, pair{binary.LittleEndian.Uint64(before), binary.LittleEndian.Uint64(after)})
			return false
		}
		var last ecs.Entity
		for range n {
			last = x.spawn(colBody)
		}
		body := (*testBody)(x.w.Get(last, x.id(colBody)))
		body.X = 2
		x.observe(t)
		require.Empty(t, asked, "a spawned value has no previous value")
		body.X = 3
		x.observe(t)
		assert.Equal(t, []pair{{math.Float64bits(2), math.Float64bits(3)}}, asked)
		assert.Equal(t, []Slot{x.slot(t, last)}, x.table.Changed(colBody))
	}
}

func TestInsertIsNotAlsoAChange(t *testing.T) {
	x := newTestWorld(t)
	e := x.spawn(colHealth)
	x.observe(t)
	x.w.Add(e, x.id(colPosition))
	(*testPosition)(x.w.Get(e, x.id(colPosition))).X = 1
	require.NoError(t, x.table.Sync())
	(*testPosition)(x.w.Get(e, x.id(colPosition))).X = 2
	x.observe(t)
	var inserted set.Mask
	inserted.Set(colPosition)
	assert.Equal(t, []StructureChange{{Slot: x.slot(t, e), Inserted: inserted}}, x.table.Structure())
	assert.Empty(t, x.table.Changed(colPosition))
	x.observe(t)
	assert.Empty(t, x.table.Changed(colPosition), "its value was known with the insert")
}

func TestRecycledEntityIsAnother(t *testing.T) {
	x := newTestWorld(t)
	old := x.spawn(colHealth)
	x.observe(t)
	slot := x.slot(t, old)
	x.w.RemoveEntity(old)
	next := x.spawn(colHealth)
	require.Equal(t, old.ID(), next.ID(), "Arche reuses the id")
	x.observe(t)
	assert.Equal(t, []Slot{slot}, x.table.Despawned())
	assert.Equal(t, old, x.table.Entity(slot))
	assert.Equal(t, []Slot{x.slot(t, next)}, x.table.Spawned())
	assert.NotEqual(t, slot, x.slot(t, next), "a slot despawned in an Observe is not spawned in it")
	_, ok := x.table.SlotOf(old)
	assert.False(t, ok)

	x.observe(t)
	third := x.spawn()
	x.observe(t)
	assert.Equal(t, slot, x.slot(t, third), "slots stay dense")
	assert.Equal(t, 3, x.table.Slots(), "NoSlot and two")
}

func TestPauseKeepsSlotAndCatchesUp(t *testing.T) {
	x := newTestWorld(t)
	e := x.spawn(colHealth, colFlags)
	x.observe(t)
	slot := x.slot(t, e)
	x.w.Remove(e, x.marker)
	x.observe(t)
	assert.Equal(t, []Slot{slot}, x.table.Paused())
	assert.Empty(t, x.table.Despawned())
	assert.Nil(t, x.table.Value(slot, colHealth))

	(*testHealth)(x.w.Get(e, x.id(colHealth))).Points = 7
	x.w.Exchange(e, []ecs.ID{x.id(colTag)}, []ecs.ID{x.id(colFlags)})
	x.observe(t)
	assert.Equal(t, twinDiff{}, onlyFilled(diffOfTable(x.table)), "paused: nothing is reported")

	x.w.Add(e, x.marker)
	x.observe(t)
	assert.Equal(t, []Slot{slot}, x.table.Resumed())
	assert.Equal(t, []Slot{slot}, x.table.Changed(colHealth))
	require.Len(t, x.table.Structure(), 1)
	assert.True(t, x.table.Structure()[0].Inserted.Has(colTag))
	assert.True(t, x.table.Structure()[0].Removed.Has(colFlags))

	x.w.Remove(e, x.marker)
	x.observe(t)
	x.w.RemoveEntity(e)
	x.observe(t)
	assert.Equal(t, []Slot{slot}, x.table.Despawned(), "the removal of a paused entity is reported")
}

// TestDyingTargetIsNoRetarget removes a parent: Arche leaves the children in place and sends no event for them.
func TestDyingTargetIsNoRetarget(t *testing.T) {
	x := newTestWorld(t, 1)
	parent := x.spawn()
	child := x.spawn(colParent)
	x.wr.SetTarget(child, x.parent, parent)
	x.observe(t)
	x.w.RemoveEntity(parent)
	(*testParent)(x.w.Get(child, x.parent)).Since = 4
	x.observe(t)
	assert.Empty(t, x.table.Retargeted())
	assert.Equal(t, []Slot{x.slot(t, child)}, x.table.Changed(colParent))
	assert.Equal(t, parent, x.table.Target(x.slot(t, child)))

	segments := x.table.Segments()
	x.w.RemoveEntity(child)
	x.observe(t)
	assert.Less(t, x.table.Segments(), segments, "the archetype of a removed target is dropped")
}

// TestColumnsMoveBehindOurBack lets an entity pass through an archetype between two Observes, so
// that Arche moves the columns of an entity that stays there.
func TestColumnsMoveBehindOurBack(t *testing.T) {
	x := newTestWorld(t, 1)
	stays := x.spawn(colHealth)
	x.observe(t)
	x.w.RemoveEntity(x.spawn(colHealth))
	(*testHealth)(x.w.Get(stays, x.id(colHealth))).Points = 1
	x.observe(t)
	assert.Equal(t, []Slot{x.slot(t, stays)}, x.table.Changed(colHealth))
}

func TestNewRefusesWrongDescriptions(t *testing.T) {
	w := ecs.NewWorld()
	marker, tag, health := ecs.ComponentID[testMarker](&w), ecs.ComponentID[testTag](&w), ecs.ComponentID[testHealth](&w)
	other := ecs.NewWorld()
	ecs.ComponentID[testTag](&other)
	for name, c := range map[string]struct {
		w      *ecs.World
		marker ecs.ID
		cols   []Column
		says   string
	}{
		"no world":            {nil, marker, nil, "world is nil"},
		"too many":            {&w, marker, make([]Column, MaxColumns+1), "at most 240"},
		"marker of no bytes":  {&w, tag, nil, "no bytes"},
		"twice":               {&w, marker, []Column{{ID: health, Size: 4}, {ID: health, Size: 4}}, "given twice"},
		"marker among them":   {&w, marker, []Column{{ID: marker, Size: 8}}, "also the marker"},
		"wrong size":          {&w, marker, []Column{{ID: health, Size: 8}}, "of 4 bytes, not of 8"},
		"of another world":    {&other, tag, []Column{{ID: health, Size: 4}}, "not registered"},
		"marker unregistered": {&other, health, nil, "not registered"},
	} {
		_, err := New(c.w, c.marker, c.cols)
		assert.ErrorContains(t, err, c.says, name)
	}
}

// TestSteadyStateAllocatesNothing checks values, spawns, despawns, exchanges and changes of target,
// with a Sync and an Observe from time to time, once buffers have reached their size.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	x := newTestWorld(t, 1024, 8)
	parents := [2]ecs.Entity{x.spawn(), x.spawn()}
	ids := []ecs.ID{x.marker, x.id(colHealth), x.id(colBody), x.parent}
	tag := []ecs.ID{x.id(colTag)}
	alive := make([]ecs.Entity, 300)
	for i := range alive {
		alive[i] = x.w.NewEntity(ids...)
	}
	const targets = 30
	round, undone := 0, 0
	tick := func() {
		round++
		for i := range targets {
			e := &alive[(round*targets+i)%len(alive)]
			x.w.RemoveEntity(*e)
			*e = x.w.NewEntity(ids...)
			x.w.Relations().Set(*e, x.parent, parents[round%2])
			x.wr.Exchange(*e, tag, nil, nil)
			(*testHealth)(x.w.Get(alive[i], x.id(colHealth))).Points++
			if i%(targets/3) == 0 && x.table.Sync() == nil {
				undone += len(x.table.Undo())
			}
		}
		if err := x.table.Observe(x.table.Tick() + 1); err != nil {
			t.Fatal(err)
		}
	}
	for range 50 {
		tick()
	}
	assert.EqualValues(t, targets, testing.AllocsPerRun(100, tick), "Arche allocates once in each Relations.Set, the table never")
	assert.Positive(t, undone)
}

// Of a component that is tracked as a tag only its presence is compared.
func TestTagsAreNotCompared(t *testing.T) {
	w := ecs.NewWorld()
	marker, body := ecs.ComponentID[testMarker](&w), ecs.ComponentID[testBody](&w)
	table, err := New(&w, marker, []Column{{ID: body, Size: 24, Tag: true, Equal: func(_, _ []byte) bool { panic("compared") }}})
	require.NoError(t, err)
	w.SetListener(table.Listener())
	e := w.NewEntity(marker, body)
	require.NoError(t, table.Observe(1))
	require.Len(t, table.Spawned(), 1)
	s := table.Spawned()[0]
	mask := table.Mask(s)
	assert.True(t, mask.Has(0))
	for range 3 {
		(*testBody)(w.Get(e, body)).X++
		require.NoError(t, table.Observe(table.Tick()+1))
		assert.Empty(t, table.Changed(0))
	}
	assert.Nil(t, table.Value(s, 0))
	assert.Nil(t, table.Known(s, 0))
	w.Remove(e, body)
	require.NoError(t, table.Observe(9))
	require.Len(t, table.Structure(), 1)
	assert.True(t, table.Structure()[0].Removed.Has(0))
}
