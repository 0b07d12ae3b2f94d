package columns

import (
	"bytes"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle/internal/alloctest"
)

// commitWorld is a random world with a table that tracks structure only.
type commitWorld struct {
	*randomWorld
	copies []undoCopy
}

func newCommitWorld(t *rapid.T) *commitWorld {
	capacity := rapid.SampledFrom([][]int{{1}, {2, 1}, {128}, {8, 2}}).Draw(t, "capacity")
	x := &commitWorld{randomWorld: &randomWorld{testWorld: newWorldWith(t, NewStructure, capacity...)}}
	x.copies = []undoCopy{x.copy(nil)}
	x.sync = func() error { x.commit(t); return nil }
	return x
}

func (x *commitWorld) commit(t *rapid.T) {
	require.NoError(t, x.table.Commit())
	x.twin.observe()
	records := x.table.Undo()
	x.copies = append(x.copies, x.copy(records))
	for i := range records {
		if r := &records[i]; !r.Is.Alive {
			require.Equal(t, r.Was.Mask, x.table.Mask(r.Slot))
			require.Equal(t, r.Was.Target, x.table.Target(r.Slot))
		}
	}
}

// TestCommitEqualsTwin makes random changes to a world. Slots, rows and views equal a simple copy of the world at every
// Commit, and the undo records lead back through all of them.
func TestCommitEqualsTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := newCommitWorld(t)
		for range rapid.IntRange(1, 12).Draw(t, "ticks") {
			for range rapid.IntRange(0, 25).Draw(t, "operations") {
				x.step(t)
			}
			x.commit(t)
			x.checkReads(t)
			x.checkSaved(t)
			x.checkLoaded(t)
		}
		undoCopies(t, x.copies)
	})
}

// checkSaved compares saved columns with the world.
func (x *commitWorld) checkSaved(t *rapid.T) {
	for c, col := range x.cols {
		bySlot := make([]byte, x.table.Slots()*col.Size)
		want := make([]byte, len(bySlot))
		for e, now := range x.twin.now {
			copy(want[int(x.slotOf(t, e))*col.Size:], now.values[c])
		}
		x.table.Save(c, bySlot)
		require.Equal(t, want, bySlot)
		x.checkPlaced(t, c, want)
	}
}

// checkPlaced compares a column in the order of rows with one by slot.
func (x *commitWorld) checkPlaced(t *rapid.T, c int, bySlot []byte) {
	size, slots := x.cols[c].Size, x.table.Places()
	byPlace := bytes.Repeat([]byte{0xee}, len(slots)*size)
	if len(slots) == 0 {
		return
	}
	for e := range x.twin.now {
		require.Contains(t, slots, uint32(x.slotOf(t, e)))
	}
	x.table.SavePlaces(c, byPlace)
	for place, slot := range slots {
		require.Equal(t, bySlot[int(slot)*size:(int(slot)+1)*size], byPlace[place*size:(place+1)*size])
	}
}

// checkLoaded loads other values.
func (x *commitWorld) checkLoaded(t *rapid.T) {
	c := rapid.IntRange(0, len(x.cols)-1).Draw(t, "column")
	size := x.cols[c].Size
	bySlot := make([]byte, x.table.Slots()*size)
	for i := range bySlot {
		bySlot[i] = byte(i*7 + c)
	}
	x.table.Load(c, bySlot)
	for e, now := range x.twin.now {
		if _, has := now.values[c]; has {
			at := int(x.slotOf(t, e)) * size
			require.Equal(t, string(bySlot[at:at+size]), string(x.wr.Bytes(e, x.id(c))))
		}
	}
	x.twin.observe()
}

func (x *commitWorld) slotOf(t require.TestingT, e ecs.Entity) Slot {
	s, ok := x.table.SlotOf(e)
	require.True(t, ok)
	return s
}

// TestSaveOfEverySize copies rows one by one and in runs, for all sizes with special code and some others.
func TestSaveOfEverySize(t *testing.T) {
	const n = 64
	runs, mixed := make([]Slot, n), make([]Slot, n)
	for i := range n {
		runs[i], mixed[i] = Slot(1+(i+n/2)%n), Slot(1+i*29%n)
	}
	for size := range 41 {
		for _, slots := range [][]Slot{runs, mixed} {
			rows := make([]byte, n*size)
			for i := range rows {
				rows[i] = byte(i*13 + i>>8)
			}
			bySlot, back := make([]byte, (1+n)*size), make([]byte, n*size)
			scatter(size, bySlot, rows, slots)
			for row, slot := range slots {
				require.Equal(t, rows[row*size:(row+1)*size], bySlot[int(slot)*size:(int(slot)+1)*size])
			}
			gather(size, bySlot, back, slots)
			require.Equal(t, rows, back)
			checkUnlike(t, size, rows, bySlot, slots)
		}
	}
}

// checkUnlike finds the one byte of rows that differs from the value by slot.
func checkUnlike(t *testing.T, size int, rows, bySlot []byte, slots []Slot) {
	places := make([]uint32, len(slots))
	for row, slot := range slots {
		places[row] = uint32(slot)
	}
	require.Equal(t, -1, Unlike(size, rows, bySlot, places, 0))
	if size > 0 {
		at := int(slots[5])*size + size - 1
		bySlot[at]++
		require.Equal(t, 5, Unlike(size, rows, bySlot, places, 0))
		require.Equal(t, 5, Unlike(size, rows, bySlot, places, 5))
		require.Equal(t, -1, Unlike(size, rows, bySlot, places, 6))
		bySlot[at]--
	}
}

// TestRunsAreFound checks that two runs are copied as two, and a permutation row by row.
func TestRunsAreFound(t *testing.T) {
	seg := segment{rows: []Slot{5, 6, 7, 8, 9, 1, 2, 3, 4}}
	require.False(t, seg.scattered())
	assert.Equal(t, []rowRun{{0, 5, 5}, {5, 4, 1}}, seg.runs)
	seg = segment{rows: []Slot{5, 7, 6, 8, 9, 1, 2, 3, 4}}
	assert.True(t, seg.scattered())
}

// TestCommitForgets checks that nothing is kept from one Commit to the next, except the slots of
// removed entities, which are kept for one more.
func TestCommitForgets(t *testing.T) {
	x := newWorldWith(t, NewStructure)
	all := make([]ecs.Entity, 20)
	for range 100 {
		for i := range all {
			all[i] = x.spawn(colPosition, colHealth)
		}
		require.NoError(t, x.table.Commit())
		assert.Empty(t, x.table.records.pending)
		assert.Nil(t, x.table.Known(x.slot(t, all[3]), colHealth))
		for _, e := range all {
			x.w.RemoveEntity(e)
		}
		require.NoError(t, x.table.Commit())
	}
	assert.LessOrEqual(t, x.table.Slots(), 1+3*len(all))
	assert.Empty(t, x.table.records.scratch)
}

// TestCommitAllocatesNothing checks Commit while structure changes, and columns are saved and
// loaded.
func TestCommitAllocatesNothing(t *testing.T) {
	x := newWorldWith(t, NewStructure, 128)
	all := make([]ecs.Entity, 100)
	for i := range all {
		all[i] = x.spawn(colPosition, colHealth)
	}
	ids, bySlot, tick := []ecs.ID{x.id(colFlags)}, make([]byte, 8*256), 0
	turn := func() {
		tick++
		for i := tick % 7; i < len(all); i += 7 {
			if e := all[i]; x.w.Has(e, ids[0]) {
				x.w.Exchange(e, nil, ids)
			} else {
				x.w.Exchange(e, ids, nil)
			}
		}
		if err := x.table.Commit(); err != nil {
			t.Fatal(err)
		}
		x.table.Save(colPosition, bySlot)
		x.table.Load(colPosition, bySlot)
	}
	for range 200 {
		turn()
	}
	assert.Zero(t, alloctest.Count(100, turn))
}
