package columns

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/listener"
	"github.com/stretchr/testify/require"
)

type (
	testMarker   struct{ Target, Group uint32 }
	testPosition struct{ X, Y float32 }
	testHealth   struct{ Points int32 }
	testFlags    struct{ Bits uint8 }
	testBody     struct{ X, Y, Z float64 }
	testThirteen struct{ Bytes [13]byte }
	testTag      struct{}
	testLocal    struct{ N int64 } // is never a column
	testOther    struct{ ecs.Relation }
	testParent   struct {
		ecs.Relation
		Since int32
	}
)

// testWorld is a world with a table and its twin.
type testWorld struct {
	w      ecs.World
	table  *Table
	twin   *twin
	marker ecs.ID
	local  ecs.ID
	parent ecs.ID
	other  ecs.ID
	cols   []Column
	wr     *Writer
}

const (
	colPosition = iota
	colHealth
	colFlags
	colBody
	colThirteen
	colTag
	colParent
)

// newTestWorld makes a world; the columns of bodies are equal if they differ by
// less than 1.
func newTestWorld(t require.TestingT, capacity ...int) *testWorld {
	return newWorldWith(t, New, capacity...)
}

// newWorldWith makes a world with a table from New or NewStructure.
func newWorldWith(t require.TestingT, makeTable func(*ecs.World, ecs.ID, []Column) (*Table, error), capacity ...int) *testWorld {
	x := &testWorld{w: ecs.NewWorld(capacity...)}
	x.local = ecs.ComponentID[testLocal](&x.w)
	x.marker = ecs.ComponentID[testMarker](&x.w)
	x.parent = ecs.ComponentID[testParent](&x.w)
	x.other = ecs.ComponentID[testOther](&x.w)
	x.cols = []Column{
		{ID: ecs.ComponentID[testPosition](&x.w), Size: 8},
		{ID: ecs.ComponentID[testHealth](&x.w), Size: 4},
		{ID: ecs.ComponentID[testFlags](&x.w), Size: 1},
		{ID: ecs.ComponentID[testBody](&x.w), Size: 24, Equal: nearlyEqual},
		{ID: ecs.ComponentID[testThirteen](&x.w), Size: 13},
		{ID: ecs.ComponentID[testTag](&x.w)},
		{ID: x.parent, Size: 4},
	}
	table, err := makeTable(&x.w, x.marker, x.cols)
	require.NoError(t, err)
	x.table, x.twin, x.wr = table, newTwin(&x.w, x.marker, x.cols), NewWriter(&x.w)
	dispatch := listener.NewDispatch(table.Listener())
	x.w.SetListener(&dispatch)
	return x
}

// nearlyEqual stands for quantised values: bytes 7 and 6 of a float64 are its coarse part.
func nearlyEqual(a, b []byte) bool {
	for _, i := range []int{6, 7, 14, 15, 22, 23} {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func (x *testWorld) id(col int) ecs.ID { return x.cols[col].ID }

func (x *testWorld) spawn(cols ...int) ecs.Entity {
	ids := []ecs.ID{x.marker}
	for _, c := range cols {
		ids = append(ids, x.id(c))
	}
	return x.w.NewEntity(ids...)
}

func (x *testWorld) observe(t *testing.T) {
	t.Helper()
	require.NoError(t, x.table.Observe(x.table.Tick()+1))
}

func (x *testWorld) slot(t *testing.T, e ecs.Entity) Slot {
	t.Helper()
	s, ok := x.table.SlotOf(e)
	require.True(t, ok)
	return s
}
