package predict

import (
	"testing"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
)

// spawnsTinted delivers a confirmed spawn, as of a tick, of an entity without any compared component:
// it has only a tint, which is shown as it arrives.
func (f *forecast) spawnsTinted(name string, tick entangle.Tick) ecs.Entity {
	e := f.world.NewEntity(append(f.p.Marks(), f.tint)...)
	slot := f.p.Track(e)
	f.names[slot] = name
	state := f.p.Store().Confirmed(slot)
	state.Tick, state.Known = tick, true
	state.Mask.Set(f.col(f.tint))
	f.p.Confirmed(slot)
	return e
}

// A parent and its child arrive together, but the confirmed state of the parent is from a later tick
// than that of the child. A rollback to the child's tick disables only the parent, because the
// parent's state at that tick is unknown. At the end both entities have their components, whether or
// not the child has compared ones.
//
// Proves: B12
func TestAChildIsThereBeforeTheStateOfItsParent(t *testing.T) {
	for name, spawn := range map[string]func(*forecast) ecs.Entity{
		"compared":   func(f *forecast) ecs.Entity { return f.spawns("kid", 1003, fcPlace{}, fcPace{}) },
		"uncompared": func(f *forecast) ecs.Entity { return f.spawnsTinted("kid", 1003) },
	} {
		for _, childFirst := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				f, _ := steady(t, nil)
				var kid ecs.Entity
				if childFirst {
					kid = spawn(f)
				}
				e := f.spawns("b", 1004, fcPlace{5, 0}, fcPace{1, 0})
				if !childFirst {
					kid = spawn(f)
				}
				f.hang(kid, e)
				want := f.has(kid)
				f.confirmTick(1003)
				assert.Equal(t, []string{"restore 1003", "tick 1004", "insert 1004 b", "tick 1005"}, f.check())
				assert.Equal(t, "place pace ", f.has(e))
				assert.Equal(t, want, f.has(kid))
				f.confirmTick(1005)
				f.run(2)
				assert.Equal(t, want, f.has(kid))
			})
		}
	}
}

// A predicted despawn of an entity without compared components is undone too if the server disagrees.
//
// Proves: B12
func TestAPredictedDespawnOfAnUncomparedEntityIsUndone(t *testing.T) {
	f := newForecast(t, nil)
	f.run(1)
	f.confirmTick(1001)
	e, bare := f.spawnsTinted("a", 1001), f.spawnsTinted("b", 1001)
	copy(f.p.Store().ConfirmedValue(f.p.entities.slotOf(e), f.col(f.tint)), []byte{3})
	f.world.Remove(bare, f.tint)
	f.p.Store().Confirmed(f.p.entities.slotOf(bare)).Mask = set.Mask{}
	wrong := true
	f.in(1003, func() {
		if wrong {
			f.p.Despawn(e)
			f.p.Despawn(bare)
		}
	})
	f.run(4)
	assert.Empty(t, f.has(e))
	wrong = false
	f.confirmTick(1002)
	assert.Empty(t, f.check())
	assert.Empty(t, f.has(e), "the confirmed tick is before the despawn")
	f.confirmTick(1003)
	assert.Equal(t, []string{"restore 1003", "tick 1004", "tick 1005"}, f.check())
	assert.Equal(t, "tint ", f.has(e))
	assert.False(t, f.p.IsDisabled(f.p.entities.slotOf(bare)), "it gets the components that arrive next")
	assert.Equal(t, fcTint{3}, *(*fcTint)(f.world.Get(e, f.tint)))
	f.confirmTick(1005)
	assert.Empty(t, f.check())
}

// An entity of which the server removes the last compared component keeps the others.
//
// Proves: B4
func TestAnEntityLosesItsLastComparedComponent(t *testing.T) {
	f, e := steady(t, nil)
	slot := f.p.entities.slotOf(e)
	f.world.Add(e, f.tint)
	f.says(e, 1003, fcPlace{}, fcPace{})
	state := f.p.Store().Confirmed(slot)
	state.Mask = set.Mask{}
	state.Mask.Set(f.col(f.tint))
	f.confirmTick(1003)
	assert.Equal(t, []string{"restore 1003", "tick 1004", "tick 1005"}, f.check())
	assert.Equal(t, "tint ", f.has(e))
	assert.False(t, f.p.IsDisabled(slot))
	f.says(e, 1004, fcPlace{7, 0}, fcPace{})
	state.Mask.Set(f.col(f.tint))
	f.confirmTick(1005)
	f.check()
	assert.Equal(t, "place pace tint ", f.has(e))
}
