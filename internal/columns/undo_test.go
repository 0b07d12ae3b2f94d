package columns

import (
	"maps"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestUndoEqualsCopies copies the structure of the world at every Sync and Observe of random ticks. The undo records,
// applied backwards to the last copy, give each of the earlier ones.
func TestUndoEqualsCopies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := newUndoWorld(t)
		for range rapid.IntRange(1, 12).Draw(t, "ticks") {
			for range rapid.IntRange(0, 15).Draw(t, "operations") {
				x.step(t)
			}
			if rapid.Bool().Draw(t, "observe") {
				x.look(t, func() error { return x.table.Observe(x.table.Tick() + 1) })
				x.known = x.twin.copy()
			} else {
				x.look(t, x.table.Sync)
			}
		}
		undoCopies(t, x.copies)
	})
}

// undoWorld is a random world with copies of its structure.
type undoWorld struct {
	*randomWorld
	copies []undoCopy
	known  map[ecs.Entity]twinEntity // at the last Observe
}

// undoCopy is the structure of a world at one Sync, and the records of that Sync.
type undoCopy struct {
	forms    map[ecs.Entity]Form
	followed map[ecs.Entity]bool
	records  []UndoRecord
}

func newUndoWorld(t *rapid.T) *undoWorld {
	x := &undoWorld{randomWorld: newRandomWorld(t, []int{8, 2})}
	x.copies = []undoCopy{x.copy(nil)}
	x.sync = func() error { x.look(t, x.table.Sync); return nil }
	return x
}

func (x *undoWorld) look(t *rapid.T, sync func() error) {
	require.NoError(t, sync())
	records := x.table.Undo()
	x.copies = append(x.copies, x.copy(records))
	for i := range records {
		if r := &records[i]; !r.Is.Alive {
			x.checkEnded(t, r)
		}
	}
}

// checkEnded reads the data of an entity that was removed.
func (x *undoWorld) checkEnded(t *rapid.T, r *UndoRecord) {
	require.Equal(t, r.Entity, x.table.Entity(r.Slot))
	require.Equal(t, r.Was.Mask, x.table.Mask(r.Slot))
	require.Equal(t, r.Was.Target, x.table.Target(r.Slot))
	for c := r.Was.Mask.Next(0); c >= 0 && r.Was.Marked; c = r.Was.Mask.Next(c + 1) {
		value := x.table.Known(r.Slot, c)
		require.Len(t, value, x.cols[c].Size)
		if want, ok := x.known[r.Entity].values[c]; ok {
			require.Equal(t, string(want), string(value))
		}
	}
}

func (x *testWorld) copy(records []UndoRecord) undoCopy {
	c := undoCopy{map[ecs.Entity]Form{}, map[ecs.Entity]bool{}, append([]UndoRecord{}, records...)}
	filter := ecs.All()
	for q := x.w.Query(&filter); q.Next(); {
		e := q.Entity()
		f := Form{Alive: true, Marked: x.w.Has(e, x.marker), Target: x.w.Relations().GetUnchecked(e, x.marker)}
		for i, col := range x.cols {
			if x.w.Has(e, col.ID) {
				f.Mask.Set(i)
			}
		}
		c.forms[e] = f
		if _, ok := x.table.SlotOf(e); ok {
			c.followed[e] = true
		}
	}
	return c
}

// undoCopies undoes from each copy to the previous one, and compares them.
func undoCopies(t require.TestingT, copies []undoCopy) {
	model := maps.Clone(copies[len(copies)-1].forms)
	for i := len(copies) - 1; i > 0; i-- {
		before, after := &copies[i-1], &copies[i]
		for j := len(after.records) - 1; j >= 0; j-- {
			r := &after.records[j]
			require.Equal(t, after.forms[r.Entity], r.Is)
			require.Equal(t, before.forms[r.Entity].Alive, r.Was.Alive)
			require.NotEqual(t, r.Was, r.Is)
			model[r.Entity] = r.Was
		}
		for e := range before.followed {
			require.Equal(t, before.forms[e], model[e])
		}
		for e, f := range model {
			require.Equal(t, f.Marked, before.forms[e].Marked)
		}
	}
}
