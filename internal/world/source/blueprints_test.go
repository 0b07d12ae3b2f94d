package source

import (
	"slices"
	"testing"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type (
	bpPlan struct {
		components.At
		Seed int32
	}
	bpHull  struct{ Size int32 }
	bpSkin  struct{ Name *string }
	bpParts struct {
		bpHull
		bpSkin
	}
)

// Ticks allocate nothing: those in which nothing is assembled, and those in which many entities are.
func TestAssemblingAllocatesNothing(t *testing.T) {
	p, name := protocol.New(protocol.Config{Name: "game"}), "rock"
	protocol.Blueprint(p, func(_ *ecs.World, _ ecs.Entity, b bpPlan) bpParts { return bpParts{bpHull{b.Seed}, bpSkin{&name}} })
	protocol.Unsent[bpSkin](p)
	require.NoError(t, registry.Seal(p))
	w := ecs.NewWorld()
	b := NewBlueprints(&w, registry.Of(p))
	plan, hull := ecs.ComponentID[bpPlan](&w), ecs.ComponentID[bpHull](&w)
	var all []ecs.Entity
	for i := range 100 {
		e := w.NewEntity(plan)
		(*bpPlan)(w.Get(e, plan)).Seed = int32(i)
		all = append(all, e)
	}
	now := entangle.Tick(0)
	tick := func() {
		now++
		b.SetTicks(now, true)
		b.Assemble(now, nil)
		for i, e := range all {
			assert.True(t, (*bpHull)(w.Get(e, hull)).Size == int32(i))
		}
	}
	tick()
	assert.Zero(t, alloctest.Count(100, tick))
	parts := slices.DeleteFunc(w.Ids(all[0]), func(id ecs.ID) bool { return id == plan })
	assert.Len(t, parts, 3, "the mark, and two parts")
	again := func() {
		for _, e := range all {
			w.Exchange(e, nil, parts)
		}
		tick()
	}
	again()
	assert.Zero(t, alloctest.Count(100, again))
}

// The function of a blueprint may remove the entity, or the blueprint: nothing more is assembled.
func TestABlueprintThatEndsItself(t *testing.T) {
	for _, despawn := range []bool{true, false} {
		p := protocol.New(protocol.Config{Name: "game"})
		protocol.Blueprint(p, func(w *ecs.World, e ecs.Entity, b bpPlan) struct{ bpHull } {
			if despawn {
				w.RemoveEntity(e)
			} else {
				w.Remove(e, ecs.ComponentID[bpPlan](w))
			}
			return struct{ bpHull }{bpHull{b.Seed}}
		})
		require.NoError(t, registry.Seal(p))
		w := ecs.NewWorld()
		b := NewBlueprints(&w, registry.Of(p))
		e := w.NewEntity(ecs.ComponentID[bpPlan](&w))
		b.SetTicks(1, true)
		b.Assemble(1, nil)
		assert.Equal(t, !despawn, w.Alive(e))
		if !despawn {
			assert.Empty(t, w.Ids(e))
		}
	}
}
