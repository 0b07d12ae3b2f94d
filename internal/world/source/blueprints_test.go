package source

import (
	"reflect"
	"slices"
	"testing"
	"unsafe"

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

// A client leaves a shot that it does not predict the child of its shooter until the server says otherwise.
//
// Proves: T11
func TestAShownShotStaysWithItsShooter(t *testing.T) {
	for _, remote := range []bool{true, false} {
		p := protocol.New(protocol.Config{Name: "game"})
		protocol.Blueprint(p, func(*ecs.World, ecs.Entity, bpPlan) struct{ bpHull } { return struct{ bpHull }{} })
		require.NoError(t, registry.Seal(p))
		w := ecs.NewWorld()
		b := NewBlueprints(&w, registry.Of(p))
		of := ecs.ComponentID[components.IntentOf](&w)
		e := w.NewEntity(ecs.ComponentID[bpPlan](&w), of)
		if remote {
			w.Add(e, ecs.ComponentID[components.Remote](&w))
		}
		b.Assemble(1, nil)
		b.AssembleRemote(func(ecs.Entity, entangle.Tick) bool { return true })
		assert.Equal(t, remote, w.Has(e, of))
	}
}

// A blueprint is refreshed from the tick after its own on, and only on an entity that is assembled: the function of the
// game finds all parts.
//
// Proves: T9
func TestOnlyAnAssembledEntityIsRefreshed(t *testing.T) {
	p := protocol.New(protocol.Config{Name: "game"})
	protocol.Blueprint(p, func(_ *ecs.World, _ ecs.Entity, b bpPlan) struct{ bpHull } { return struct{ bpHull }{bpHull{b.Seed}} }).
		Refresh(func(w *ecs.World, e ecs.Entity, b *bpPlan) {
			b.Seed = (*bpHull)(w.Get(e, ecs.ComponentID[bpHull](w))).Size
		})
	require.NoError(t, registry.Seal(p))
	w := ecs.NewWorld()
	b := NewBlueprints(&w, registry.Of(p))
	plan := ecs.ComponentID[bpPlan](&w)
	e := w.NewEntity(plan)
	*(*bpPlan)(w.Get(e, plan)) = bpPlan{At: components.At{Tick: 5}, Seed: 1}
	number := registry.Of(p).ComponentOf(reflect.TypeFor[bpPlan]()).Number
	sent := func(now entangle.Tick) bpPlan {
		value := b.writer.Bytes(e, plan)
		return *(*bpPlan)(unsafe.Pointer(&b.refresh(e, number, value, now)[0]))
	}
	assert.Equal(t, bpPlan{At: components.At{Tick: 5}, Seed: 1}, sent(7), "it has come into the world after the blueprints of its tick")
	b.Assemble(7, nil)
	(*bpHull)(w.Get(e, ecs.ComponentID[bpHull](&w))).Size = 3
	assert.Equal(t, bpPlan{At: components.At{Tick: 5}, Seed: 1}, sent(5))
	assert.Equal(t, bpPlan{At: components.At{Tick: 7}, Seed: 3}, sent(6))
}
