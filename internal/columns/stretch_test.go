package columns

import (
	"testing"
	"unsafe"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// testSigned is the component of signatures.
type testSigned struct{ _ [2]uint32 }

// stretchWorld is a world in which most entities have a signature.
type stretchWorld struct {
	w              ecs.World
	wr             *Writer
	signed, parent ecs.ID
	cells, body    Cells
	bodyID         ecs.ID
	more           []ecs.ID // components that the game adds and removes
	all, targets   []ecs.Entity
	found          Stretch
}

func newStretchWorld() *stretchWorld {
	x := &stretchWorld{w: ecs.NewWorld()}
	x.wr = NewWriter(&x.w)
	x.signed, x.bodyID, x.parent = ecs.ComponentID[testSigned](&x.w), ecs.ComponentID[testBody](&x.w), ecs.ComponentID[testParent](&x.w)
	x.cells, x.body = x.wr.Cells(x.signed), x.wr.Cells(x.bodyID)
	x.more = []ecs.ID{ecs.ComponentID[testLocal](&x.w), ecs.ComponentID[testTag](&x.w), x.parent}
	x.targets = []ecs.Entity{x.w.NewEntity(), x.w.NewEntity()}
	return x
}

func (x *stretchWorld) spawn() {
	e := x.w.NewEntity(x.bodyID, x.signed)
	x.wr.Sign(e, x.signed)
	x.all = append(x.all, e)
}

// meddle makes a random change of structure.
func (x *stretchWorld) meddle(t *rapid.T, e ecs.Entity) {
	if !x.w.Alive(e) {
		return
	}
	switch what := rapid.IntRange(0, 5).Draw(t, "what"); what {
	case 0:
		x.w.RemoveEntity(e)
	case 1:
		if x.w.Has(e, x.signed) {
			x.w.Remove(e, x.signed)
		} else {
			x.w.Add(e, x.signed) // without a signature
		}
	default:
		id := x.more[what%len(x.more)]
		if x.w.Has(e, id) {
			x.w.Remove(e, id)
		} else {
			x.w.Add(e, id)
		}
		if id == x.parent && x.w.Has(e, id) {
			x.w.Relations().Set(e, id, rapid.SampledFrom(x.targets).Draw(t, "target"))
		}
	}
}

// check compares the results of Find with Arche's.
func (x *stretchWorld) check(t require.TestingT, entities []ecs.Entity) {
	n := x.found.Find(&x.cells, entities)
	require.Len(t, x.found.Rows, n)
	others, straight := 0, true
	for i, e := range entities[:n] {
		require.True(t, x.w.Alive(e))
		row := x.found.Rows[i]
		straight = straight && int(row) == i
		if row == Elsewhere {
			others++
			require.NotNil(t, x.cells.At(e))
			continue
		}
		for _, of := range []*Cells{&x.cells, &x.body} {
			found := (*byte)(unsafe.Add(unsafe.Pointer(of.At(entities[0])), int(row)*of.size))
			require.Same(t, of.At(e), found)
		}
	}
	require.Equal(t, others, x.found.Others)
	require.Equal(t, straight, x.found.Straight)
	if n < len(entities) && x.w.Alive(entities[n]) && x.w.Has(entities[n], x.signed) {
		require.GreaterOrEqual(t, n, enough, "only an entity elsewhere ends a stretch, and only a long one")
	}
}

// After any changes between two calls of Find, Find returns the row in which Arche has the entity.
func TestRowsOfAStretchAreThoseOfArche(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := newStretchWorld()
		for range rapid.IntRange(1, 60).Draw(t, "entities") {
			x.spawn()
		}
		for range 10 {
			from := rapid.IntRange(0, len(x.all)-1).Draw(t, "from")
			x.check(t, x.all[from:rapid.IntRange(from+1, len(x.all)).Draw(t, "to")])
			if rapid.Bool().Draw(t, "shuffled") {
				x.check(t, rapid.Permutation(x.all).Draw(t, "order"))
			}
			for range rapid.IntRange(0, 4).Draw(t, "changes") {
				x.meddle(t, rapid.SampledFrom(x.all).Draw(t, "entity"))
			}
			for range rapid.IntRange(0, 3).Draw(t, "spawns") {
				x.spawn()
			}
		}
	})
}

// Entities created one after the other are in consecutive rows, and take no more than two calls of Arche.
func TestAStretchIsStraight(t *testing.T) {
	x := newStretchWorld()
	for range 300 { // the columns grow in between
		x.spawn()
	}
	require.Equal(t, 300, x.found.Find(&x.cells, x.all))
	assert.True(t, x.found.Straight)
	assert.Zero(t, x.found.Others)
	x.w.RemoveEntity(x.all[5]) // the last one moves to its row
	require.Equal(t, 5, x.found.Find(&x.cells, x.all))
	require.Equal(t, 294, x.found.Find(&x.cells, x.all[6:]))
	assert.False(t, x.found.Straight)
	assert.EqualValues(t, -1, x.found.Rows[293])
}

func TestASignatureHasItsSize(t *testing.T) {
	x := newStretchWorld()
	x.spawn()
	assert.Panics(t, func() { x.wr.Sign(x.all[0], x.bodyID) })
}
