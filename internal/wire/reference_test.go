package wire_test

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// web has entities in a row, in structs, and in arrays that become ops with a body.
type web struct {
	First ecs.Entity
	Pair  [2]ecs.Entity
	Kept  ecs.Entity `net:"-"`
	Nodes [20]struct {
		Size uint8
		To   ecs.Entity
		Deep [3]struct {
			Mark bool
			At   [2]ecs.Entity
		}
	}
	Last ecs.Entity
}

// all returns the addresses of the entities that are sent, in order.
func (w *web) all() []*ecs.Entity {
	out := []*ecs.Entity{&w.First, &w.Pair[0], &w.Pair[1]}
	for i := range w.Nodes {
		node := &w.Nodes[i]
		out = append(out, &node.To)
		for k := range node.Deep {
			out = append(out, &node.Deep[k].At[0], &node.Deep[k].At[1])
		}
	}
	return append(out, &w.Last)
}

func TestEveryReferenceOfAValueIsReached(t *testing.T) {
	plan, err := wire.ComponentPlan[web]()
	require.NoError(t, err)
	var value web
	all := value.all()
	es := entities(len(all) + 1)
	value.Kept = es[len(all)]
	for n, at := range all {
		require.True(t, plan.SetRef(bytesOf(&value), n, es[n]))
		require.Equal(t, es[n], *at, "number %d", n)
	}
	require.Equal(t, es[len(all)], value.Kept)
	before := value
	for _, n := range []int{-1, len(all), 1 << 30} {
		assert.False(t, plan.SetRef(bytesOf(&value), n, es[0]), "there is no number %d", n)
	}
	var met []ecs.Entity
	plan.MapRefs(bytesOf(&value), func(n int, e ecs.Entity) ecs.Entity {
		require.Len(t, met, n)
		met = append(met, e)
		return e
	})
	assert.Equal(t, es[:len(all)], met)
	assert.Equal(t, before, value)
	plan.MapRefs(bytesOf(&value), func(int, ecs.Entity) ecs.Entity { return ecs.Entity{} })
	assert.Equal(t, web{Kept: before.Kept}, value)
}

// lateTable is a table of entities that have not arrived yet.
type lateTable struct{}

func (lateTable) At(index uint32) (ecs.Entity, bool) { return wire.Placeholder(index), true }

func TestPlaceholdersAreFoundInTheOrderOfDecode(t *testing.T) {
	plan, err := wire.ComponentPlan[web]()
	require.NoError(t, err)
	var value web
	all := value.all()
	*all[0], *all[7], *all[len(all)-1] = entities(3)[0], entities(3)[1], entities(3)[2]
	var w bits.Writer
	plan.Encode(&w, bytesOf(&value), &table{})
	var r bits.Reader
	r.Reset(w.Finish())
	var got web
	require.NoError(t, plan.Decode(&r, bytesOf(&got), lateTable{}))
	found := map[int]uint32{}
	plan.MapRefs(bytesOf(&got), func(n int, e ecs.Entity) ecs.Entity {
		if index, ok := wire.IsPlaceholder(e); ok {
			found[n] = index
			return ecs.Entity{}
		}
		return e
	})
	assert.Equal(t, map[int]uint32{0: 1, 7: 2, len(all) - 1: 3}, found)
	assert.Equal(t, web{}, got)
}

func TestPlaceholdersAreNoEntities(t *testing.T) {
	for _, n := range []uint32{0, 1, 4095, 1<<31 - 1} {
		got, ok := wire.IsPlaceholder(wire.Placeholder(n))
		assert.True(t, ok)
		assert.Equal(t, n, got)
	}
	for _, e := range append(entities(3), ecs.Entity{}) {
		_, ok := wire.IsPlaceholder(e)
		assert.False(t, ok)
	}
}

// shyCodec calls Index for entities, but not for the zero entity.
type shyCodec struct{ ownerCodec }

func (c shyCodec) EncodeRefs(w *bits.Writer, v *withEntity, refs protocol.RefWriter) {
	if v.Other.IsZero() {
		w.Uvarint(0)
		return
	}
	c.ownerCodec.EncodeRefs(w, v, refs)
}

func TestReferencesThroughACodec(t *testing.T) {
	plan := planWith(t, protocol.Codec[withEntity](ownerCodec{}))
	e := entities(2)
	var value withEntity
	assert.False(t, plan.SetRef(bytesOf(&value), 1, e[0]))
	require.True(t, plan.SetRef(bytesOf(&value), 0, e[0]))
	assert.Equal(t, e[0], value.Other)
	assert.False(t, plan.SetRef(bytesOf(&value), 0, e[1]), "there is an entity already")
	plan.MapRefs(bytesOf(&value), func(int, ecs.Entity) ecs.Entity { return ecs.Entity{} })
	assert.True(t, value.Other.IsZero())

	shy := planWith(t, protocol.Codec[withEntity](shyCodec{}))
	assert.False(t, shy.SetRef(bytesOf(&value), 0, e[0]))
	assert.True(t, value.Other.IsZero())
}

func TestReferencesOfATypeWithoutAny(t *testing.T) {
	plan, err := wire.ComponentPlan[pose]()
	require.NoError(t, err)
	var value pose
	assert.False(t, plan.SetRef(bytesOf(&value), 0, entities(1)[0]))
	plan.MapRefs(bytesOf(&value), func(int, ecs.Entity) ecs.Entity { panic("there is none") })
}
