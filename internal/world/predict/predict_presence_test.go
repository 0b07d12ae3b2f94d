package predict

import (
	"testing"
	"unsafe"

	"github.com/entangle-ecs/entangle"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// saysNoKit removes an entity's kit from its confirmed state, and from where the entity keeps it: from
// its disabled components if it is disabled, else from the world.
func (f *forecast) saysNoKit(e ecs.Entity) {
	slot := f.p.entities.slotOf(e)
	f.p.Store().Confirmed(slot).Mask.Clear(f.col(f.kit))
	switch {
	case f.p.IsDisabled(slot):
		f.p.RemoveOnce(slot, f.col(f.kit))
	case f.world.Has(e, f.kit):
		f.world.Remove(e, f.kit)
	}
	f.p.Confirmed(slot)
}

// paceGoes returns an entity from which the prediction removes the pace in tick 1003. So the
// histories hold this removal when another change arrives.
func paceGoes(t *testing.T) (*forecast, ecs.Entity) {
	f := newForecast(t, nil)
	f.run(1)
	f.confirmTick(1001)
	e := f.spawns("a", 1001, fcPlace{10, 0}, fcPace{1, 0})
	f.in(1003, func() { f.world.Remove(e, f.pace) })
	return f, e
}

// A component of mode Once that the server adds is also there after a rollback to a tick before its
// arrival, even if the entity had another structure in that tick.
//
// Proves: B20
func TestAnInsertedOnceSurvivesARollback(t *testing.T) {
	f, e := paceGoes(t)
	f.run(4)
	f.saysOnce(e, 9)
	f.check()
	f.says(e, 1002, fcPlace{20, 0}, fcPace{1, 0})
	f.saysOnce(e, 30)
	f.confirmTick(1002)
	assert.Equal(t, []string{"restore 1002", "tick 1003", "tick 1004", "tick 1005"}, f.check())
	require.Equal(t, "place kit ", f.has(e))
	assert.EqualValues(t, 9, f.carries(e).Size, "the first value that came")
}

// A component of mode Once that the server removes stays removed after a rollback to a tick before the
// removal, even if the entity had another structure in that tick.
//
// Proves: B20
func TestARemovedOnceStaysRemovedInARollback(t *testing.T) {
	f, e := paceGoes(t)
	f.saysOnce(e, 9)
	f.run(4)
	f.saysNoKit(e)
	f.check()
	f.says(e, 1002, fcPlace{20, 0}, fcPace{1, 0})
	f.confirmTick(1002)
	assert.Equal(t, []string{"restore 1002", "tick 1003", "tick 1004", "tick 1005"}, f.check())
	assert.Equal(t, "place ", f.has(e))
}

// Changes that the game makes in ticks to a component of mode Once roll back with the ticks, before and
// after the server has changed another component.
//
// Proves: B20
func TestWhatTheGameDoesWithAnOnceInTicksGoesBack(t *testing.T) {
	f, e := steady(t, nil)
	f.saysOnce(e, 9)
	f.check()
	f.in(1007, func() { f.world.Remove(e, f.kit) })
	f.run(3)
	assert.Equal(t, "place pace ", f.has(e))
	var then string
	f.in(1006, func() { then = f.has(e) })
	f.world.Add(e, f.fuel) // between two ticks, so it counts as if it had always been there
	f.says(e, 1005, fcPlace{50, 0}, fcPace{1, 0})
	f.saysOnceNoWorld(e)
	f.confirmTick(1005)
	assert.Equal(t, []string{"restore 1005", "tick 1006", "tick 1007", "tick 1008"}, f.check())
	assert.Equal(t, "place pace kit fuel ", then)
	assert.Equal(t, "place pace fuel ", f.has(e))
}

// saysOnceNoWorld confirms that there is still a kit, and does not change the world.
func (f *forecast) saysOnceNoWorld(e ecs.Entity) {
	slot := f.p.entities.slotOf(e)
	f.p.Store().Confirmed(slot).Mask.Set(f.col(f.kit))
	f.p.Confirmed(slot)
}

// A local component that is added between two ticks counts as always there, and one that is removed as
// never there, whatever else the entity had in the replayed ticks.
//
// Proves: B16
func TestALocalChangedBetweenTicksWasAlwaysSo(t *testing.T) {
	for name, comes := range map[string]bool{"comes": true, "goes": false} {
		t.Run(name, func(t *testing.T) {
			f, e := paceGoes(t)
			want := "place "
			if !comes {
				f.world.Add(e, f.fuel)
			}
			f.run(4)
			if comes {
				f.world.Add(e, f.fuel)
				f.holds(e).Left = 5
				want = "place fuel "
			} else {
				f.world.Remove(e, f.fuel)
			}
			f.check()
			f.says(e, 1002, fcPlace{20, 0}, fcPace{1, 0})
			f.confirmTick(1002)
			assert.Equal(t, []string{"restore 1002", "tick 1003", "tick 1004", "tick 1005"}, f.check())
			require.Equal(t, want, f.has(e))
			if comes {
				assert.EqualValues(t, 5, f.holds(e).Left)
			}
		})
	}
}

// A relation that the game adds or changes between two ticks counts as always so.
//
// Proves: B16
func TestALocalRelationChangedBetweenTicksWasAlwaysSo(t *testing.T) {
	for name, comes := range map[string]bool{"comes": true, "is aimed elsewhere": false} {
		t.Run(name, func(t *testing.T) {
			f, e := paceGoes(t)
			x, y := f.world.NewEntity(), f.world.NewEntity()
			if !comes {
				f.world.Add(e, f.tow)
				f.world.Relations().Set(e, f.tow, x)
			}
			f.run(4)
			if comes {
				f.world.Add(e, f.tow)
			}
			f.world.Relations().Set(e, f.tow, y)
			f.check()
			f.says(e, 1002, fcPlace{20, 0}, fcPace{1, 0})
			f.confirmTick(1002)
			assert.Len(t, f.check(), 4)
			require.True(t, f.world.Has(e, f.tow))
			assert.Equal(t, y, f.world.Relations().Get(e, f.tow))
		})
	}
}

// Components of mode Once that the server adds or removes while the entity is despawned ahead of the
// server are there, or not, when the entity returns.
//
// Proves: B20
func TestOnceComesAndGoesWhileDespawned(t *testing.T) {
	for name, c := range map[string]struct {
		had, gets bool
		restore   entangle.Tick
	}{
		"it comes":                    {false, true, 1007},
		"it goes":                     {true, false, 1007},
		"it goes, and another comes":  {true, true, 1007},
		"it comes, and it goes back":  {false, true, 1005},
		"it goes, and that goes back": {true, false, 1005},
	} {
		t.Run(name, func(t *testing.T) {
			f, e := steady(t, nil)
			if c.had {
				f.saysOnce(e, 5)
			}
			f.world.Add(e, f.fuel)
			f.holds(e).Left = 7
			wrong := true
			f.in(1006, func() {
				if wrong {
					f.p.Despawn(e)
				}
			})
			f.run(3)
			if c.had {
				f.saysNoKit(e)
			}
			if c.gets {
				slot, value := f.p.entities.slotOf(e), fcKit{6}
				f.p.Store().Confirmed(slot).Mask.Set(f.col(f.kit))
				f.p.InsertOnce(slot, f.col(f.kit), unsafe.Slice((*byte)(unsafe.Pointer(&value)), 4), ecs.Entity{})
				f.p.Confirmed(slot)
			}
			f.p.Store().Confirmed(f.p.entities.slotOf(e)).Tick = c.restore
			f.confirmTick(c.restore)
			f.p.Request(c.restore)
			wrong = false
			assert.NotEmpty(t, f.check())
			want := "place pace fuel "
			if c.gets {
				want = "place pace kit fuel "
			}
			require.Equal(t, want, f.has(e))
			if c.gets {
				assert.EqualValues(t, 6, f.carries(e).Size)
			}
			assert.EqualValues(t, 7, f.holds(e).Left)
		})
	}
}

// A component of mode Once that the server adds replaces the one that the game had added itself before
// it despawned the entity.
//
// Proves: B20
func TestAnInsertedOnceReplacesWhatTheGameHad(t *testing.T) {
	f, e := steady(t, nil)
	f.world.Add(e, f.kit, f.fuel)
	f.carries(e).Size, f.holds(e).Left = 5, 7
	wrong := true
	f.in(1006, func() {
		if wrong {
			f.p.Despawn(e)
		}
	})
	f.run(3)
	slot, value := f.p.entities.slotOf(e), fcKit{6}
	f.p.Store().Confirmed(slot).Mask.Set(f.col(f.kit))
	f.p.InsertOnce(slot, f.col(f.kit), unsafe.Slice((*byte)(unsafe.Pointer(&value)), 4), ecs.Entity{})
	f.p.Confirmed(slot)
	f.p.Store().Confirmed(slot).Tick = 1007
	f.confirmTick(1007)
	f.p.Request(1007)
	wrong = false
	assert.NotEmpty(t, f.check())
	require.Equal(t, "place pace kit fuel ", f.has(e))
	assert.EqualValues(t, 6, f.carries(e).Size)
	assert.EqualValues(t, 7, f.holds(e).Left)
}
