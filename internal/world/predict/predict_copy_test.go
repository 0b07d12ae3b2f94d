package predict

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
)

// turnOff applies a record after which this client may not predict an entity.
func (f *forecast) turnOff(e ecs.Entity) {
	slot := f.p.entities.slotOf(e)
	f.world.Exchange(e, nil, f.p.Marks())
	f.p.Untrack(e, slot)
}

// Before the clock is synced, confirmed state is shown as it arrives, whatever its ticks;
// afterwards histories begin at the confirmed tick.
//
// Proves: S3
func TestBeforeTheClockIsSynced(t *testing.T) {
	f := newForecast(t, nil)
	f.synced = false
	f.run(2)
	e := f.spawns("a", 90_000, fcPlace{10, 0}, fcPace{1, 0})
	f.run(3)
	f.says(e, 90_010, fcPlace{50, 0}, fcPace{1, 0})
	f.confirmTick(90_010)
	f.check()
	assert.EqualValues(t, 50, f.at(e).X)
	assert.Zero(t, f.p.Stats().Resyncs)

	f.synced = true
	f.jump(90_017 - int(f.time.Tick))
	steps := f.check()
	assert.Equal(t, "restore 90010", steps[0])
	assert.EqualValues(t, 57, f.at(e).X)
	f.says(e, 90_012, fcPlace{52, 0}, fcPace{1, 0})
	f.confirmTick(90_012)
	assert.Empty(t, f.check())
}

// Prediction of an entity can be switched off and on: its earlier predictions no longer count. Within one frame it is
// as if that had not happened, also for components that are never sent.
//
// Proves: B25
func TestPredictionIsTurnedOffAndOn(t *testing.T) {
	for name, between := range map[string]int{"in one frame": 0, "some frames apart": 3} {
		t.Run(name, func(t *testing.T) {
			f, e := steady(t, nil)
			f.world.Add(e, f.fuel)
			f.main(func() { f.holds(e).Left++ })
			f.run(5)
			left, reason := f.holds(e).Left+int32(between), ByMismatch
			if between > 0 {
				reason = BySpawn
			}
			f.turnOff(e)
			*f.at(e) = fcPlace{-1, -1} // confirmed values come into the world
			f.run(between)
			f.confirmTick(f.time.Tick - 2)
			f.world.Add(e, f.p.Marks()...)
			slot := f.p.Track(e)
			f.names[slot] = "a"
			*f.at(e) = fcPlace{500, 0}
			f.says(e, f.time.Tick-2, fcPlace{500, 0}, fcPace{1, 0})
			assert.Len(t, f.check(), 3)
			assert.EqualValues(t, 502, f.at(e).X)
			assert.True(t, f.p.entities.forms[slot].Alive, "it is followed")
			assert.EqualValues(t, 1, f.p.Stats().Rollbacks[reason])
			if between == 0 {
				assert.Equal(t, left, f.holds(e).Left)
			}
			assert.Empty(t, f.check())
			assert.Empty(t, f.p.entities.untracked.slots)
		})
	}
}

// The children of an entity are removed with it when the server despawns it, and when the connection
// ends.
//
// Proves: B17
func TestLocalChildrenGoWithTheirParents(t *testing.T) {
	for name, end := range map[string]func(f *forecast, e ecs.Entity){
		"despawn": func(f *forecast, e ecs.Entity) {
			f.despawns(e, f.time.Tick-2)
			f.confirmTick(f.time.Tick - 2)
			f.check()
			f.confirmTick(f.time.Tick)
			f.check()
		},
		"connection": func(f *forecast, e ecs.Entity) {
			f.world.RemoveEntity(e)
			f.p.Clear()
			f.set = false
		},
	} {
		t.Run(name, func(t *testing.T) {
			f, e := steady(t, nil)
			kid, grandkid := f.world.NewEntity(f.place), f.world.NewEntity(f.place)
			f.world.Relations().Exchange(grandkid, []ecs.ID{f.child}, nil, f.child, kid)
			f.world.Relations().Exchange(kid, []ecs.ID{f.child}, nil, f.child, e)
			f.run(3)
			assert.True(t, f.p.Predicts(kid) && f.p.Predicts(grandkid))
			end(f, e)
			assert.False(t, f.world.Alive(e) || f.world.Alive(kid) || f.world.Alive(grandkid))
			f.run(3)
			assert.Zero(t, f.p.entities.table.Len())
		})
	}
}

// The children of an entity do not exist from the tick on in which the server despawned it, even while
// the entity itself is still kept.
//
// Proves: B17
func TestLocalChildrenGoAtTheTickOfTheirParents(t *testing.T) {
	f, a := steady(t, nil)
	b := f.spawns("b", 1001, fcPlace{}, fcPace{})
	kid := f.world.NewEntity(f.place)
	f.world.Relations().Exchange(kid, []ecs.ID{f.child}, nil, f.child, b)
	f.run(1)
	f.says(a, 1003, fcPlace{50, 0}, fcPace{1, 0})
	f.despawns(b, 1005)
	f.confirmTick(1003)
	var there []bool
	f.main(func() { there = append(there, f.world.Has(kid, f.place)) })
	f.check()
	assert.Equal(t, []bool{true, true, false}, there, "in 1004, 1005 and 1006")
	assert.True(t, f.world.Alive(kid))
}
