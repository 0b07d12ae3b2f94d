package predict

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
)

// A component of mode Once is added with its entity, even if the entity is inserted into an earlier
// tick and replayed to the present. From then on it is the game's own and rolls back with the others.
//
// Proves: B20
func TestOnceIsTakenOverWithTheEntity(t *testing.T) {
	for name, confirmed := range map[string]entangle.Tick{"at the confirmed tick": 1003, "after it": 1002} {
		t.Run(name, func(t *testing.T) {
			f, a := steady(t, nil)
			f.says(a, confirmed, fcPlace{30, 0}, fcPace{1, 0})
			b := f.spawns("b", 1003, fcPlace{100, 0}, fcPace{5, 0})
			f.saysOnce(b, 9)
			f.confirmTick(confirmed)
			f.in(1005, func() { f.carries(b).Size++ })
			f.check()
			assert.Equal(t, "place pace kit ", f.has(b))
			assert.EqualValues(t, 10, f.carries(b).Size)
			assert.EqualValues(t, 110, f.at(b).X)
			f.run(1)
			f.says(a, 1004, fcPlace{60, 0}, fcPace{1, 0})
			f.says(b, 1004, fcPlace{105, 0}, fcPace{5, 0})
			f.saysOnce(b, 20)
			f.carries(b).Size = 10
			f.confirmTick(1004)
			assert.Equal(t, []string{"restore 1004", "tick 1005", "tick 1006"}, f.check())
			assert.EqualValues(t, 10, f.carries(b).Size, "9 at 1004, as the game had it, and one more at 1005")
		})
	}
}

// saysOnce delivers the confirmed state of a kit, and adds the kit to the world if it has none.
func (f *forecast) saysOnce(e ecs.Entity, size uint32) {
	slot := f.p.entities.slotOf(e)
	f.p.Store().Confirmed(slot).Mask.Set(f.col(f.kit))
	*(*fcKit)(unsafe.Pointer(&f.p.Store().ConfirmedValue(slot, f.col(f.kit))[0])) = fcKit{size}
	if !f.world.Has(e, f.kit) {
		f.world.Add(e, f.kit)
		f.carries(e).Size = size
	}
	f.p.Confirmed(slot)
}

// Simple components are not replayed: a rollback writes their last confirmed values again, whatever
// the ticks since have written.
//
// Proves: B20
func TestSimpleIsTheServersLastWord(t *testing.T) {
	f, e := steady(t, nil)
	slot := f.p.entities.slotOf(e)
	f.world.Add(e, f.tint)
	color := func() *fcTint { return (*fcTint)(f.world.Get(e, f.tint)) }
	tick := func() { color().Color += 100 }
	f.main(tick)
	f.run(1)
	assert.EqualValues(t, 100, color().Color, "the game may touch it")
	f.says(e, 1003, fcPlace{30, 0}, fcPace{1, 0})
	f.p.Store().Confirmed(slot).Mask.Set(f.col(f.tint))
	*(*fcTint)(unsafe.Pointer(&f.p.Store().ConfirmedValue(slot, f.col(f.tint))[0])) = fcTint{7}
	f.confirmTick(1003)
	assert.Len(t, f.check(), 4)
	assert.EqualValues(t, 307, color().Color, "the last word, and three ticks")
	f.confirmTick(1006)
	f.says(e, 1006, fcPlace{33, 0}, fcPace{1, 0})
	f.p.Store().Confirmed(slot).Mask.Set(f.col(f.tint))
	assert.Empty(t, f.check(), "what it is says nothing about the prediction")
}

// Local components that the game added roll back and are replayed, and are not compared.
//
// Proves: B16
func TestLocalComponentsGoBack(t *testing.T) {
	f := newForecast(t, nil)
	f.run(1)
	f.confirmTick(1001)
	e := f.spawns("a", 1001, fcPlace{10, 0}, fcPace{})
	f.world.Add(e, f.fuel)
	f.holds(e).Left = 100
	f.main(func() { f.holds(e).Left -= f.at(e).X })
	f.run(4)
	assert.EqualValues(t, 60, f.holds(e).Left)
	f.says(e, 1003, fcPlace{1, 0}, fcPace{})
	f.confirmTick(1003)
	assert.Equal(t, []string{"restore 1003", "tick 1004", "tick 1005"}, f.check())
	assert.EqualValues(t, 78, f.holds(e).Left, "two ticks at 10, and two at 1")
}

// Differences within a component's own tolerance cause no rollback; larger ones do.
//
// Proves: B22
func TestATolerance(t *testing.T) {
	f := newForecast(t, nil)
	f.run(1)
	f.confirmTick(1001)
	e := f.spawns("a", 1001, fcPlace{10, 0}, fcPace{})
	f.world.Add(e, f.heat)
	heat := func() *fcHeat { return (*fcHeat)(f.world.Get(e, f.heat)) }
	says := func(tick entangle.Tick, degrees int32) {
		f.says(e, tick, fcPlace{10, 0}, fcPace{})
		slot := f.p.entities.slotOf(e)
		f.p.Store().Confirmed(slot).Mask.Set(f.col(f.heat))
		*(*fcHeat)(unsafe.Pointer(&f.p.Store().ConfirmedValue(slot, f.col(f.heat))[0])) = fcHeat{degrees}
		f.confirmTick(tick)
	}
	says(1001, 20)
	heat().Degrees = 20
	f.main(func() { heat().Degrees++ })
	f.run(4)
	says(1002, 19)
	assert.Empty(t, f.check(), "21 was predicted")
	assert.EqualValues(t, 24, heat().Degrees)
	says(1003, 19)
	assert.Equal(t, []string{"restore 1003", "tick 1004", "tick 1005"}, f.check(), "22 was predicted")
	assert.EqualValues(t, 21, heat().Degrees)
}

// A correction reports a present value that a rollback has changed: the predicted one, and the new
// one. Unchanged, added and removed values are not reported.
//
// Proves: T6, T8
func TestCorrectionsAreReported(t *testing.T) {
	f, a := steady(t, nil)
	b := f.spawns("b", 1001, fcPlace{50, 0}, fcPace{1, 0})
	f.check()
	var corrections []string
	f.p.entities.cols[f.col(f.place)].events.OnCorrected = func(c *event.Correction) {
		before, after := (*fcPlace)(unsafe.Pointer(&c.Before[0])), (*fcPlace)(unsafe.Pointer(&c.After[0]))
		corrections = append(corrections, fmt.Sprint(c.Entity == a, c.Tick, before.X, after.X))
	}
	f.says(a, 1003, fcPlace{100, 0}, fcPace{1, 0})
	f.says(b, 1003, f.placeAt(b, 1003), fcPace{1, 0})
	f.confirmTick(1003)
	f.check()
	assert.Equal(t, []string{"true 1005 14 102"}, corrections)
	f.says(a, 1005, fcPlace{200, 0}, fcPace{1, 0})
	f.check()
	assert.Equal(t, "true 1005 102 200", corrections[1], "of the present, too")
	stats := f.p.Stats()
	assert.EqualValues(t, 2, stats.Corrections)
	assert.EqualValues(t, 1, stats.Rollbacks[ByMismatch])
	assert.Equal(t, 4, stats.Deepest, "that of the spawn of b")
}

// placeAt returns the predicted place of an entity at a tick.
func (f *forecast) placeAt(e ecs.Entity, tick entangle.Tick) fcPlace {
	return *(*fcPlace)(unsafe.Pointer(&f.p.entities.store.Column(tick, f.col(f.place))[int(f.p.entities.slotOf(e))*8]))
}
