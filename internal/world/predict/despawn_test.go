package predict

import (
	"testing"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A predicted despawn that the server makes too is final, and causes no rollback.
//
// Proves: B12
func TestAPredictedDespawnIsFinalIfTheServerAgrees(t *testing.T) {
	f, e := steady(t, nil)
	f.in(1006, func() { f.p.Despawn(e) })
	f.run(2)
	assert.Empty(t, f.has(e), "no system finds it")
	assert.True(t, f.world.Alive(e))
	f.says(e, 1005, fcPlace{14, 0}, fcPace{1, 0})
	f.confirmTick(1005)
	assert.Empty(t, f.check())
	f.despawns(e, 1006)
	f.confirmTick(1006)
	assert.Empty(t, f.check())
	assert.Equal(t, []ecs.Entity{e}, f.removed)
	assert.False(t, f.world.Alive(e))
	assert.Zero(t, f.p.Stats().Rollbacks)
}

// A predicted despawn that the server does not make is undone once the confirmed tick reaches it,
// with or without new confirmed state of the entity. All components return, including the game's
// own, with their values.
//
// Proves: B12
func TestAPredictedDespawnIsUndoneIfTheServerDisagrees(t *testing.T) {
	for name, says := range map[string]func(f *forecast, e ecs.Entity){
		"says nothing": func(f *forecast, e ecs.Entity) {},
		"says more":    func(f *forecast, e ecs.Entity) { f.says(e, 1007, fcPlace{10, 3}, fcPace{}) },
	} {
		t.Run(name, func(t *testing.T) {
			f := newForecast(t, nil)
			f.run(1)
			f.confirmTick(1001)
			e := f.spawns("a", 1001, fcPlace{10, 0}, fcPace{})
			f.world.Add(e, f.tint, f.kit, f.fuel)
			f.holds(e).Left, f.carries(e).Size = 7, 5
			wrong := true
			f.in(1006, func() {
				if wrong {
					f.p.Despawn(e)
				}
			})
			f.run(7)
			assert.Empty(t, f.has(e))
			wrong = false
			says(f, e)
			f.confirmTick(1007)
			assert.Equal(t, []string{"restore 1007", "tick 1008"}, f.check())
			assert.Equal(t, "place pace kit fuel ", f.has(e), "the server never spoke of a tint")
			assert.EqualValues(t, 7, f.holds(e).Left)
			assert.EqualValues(t, 5, f.carries(e).Size)
			assert.EqualValues(t, 10, f.at(e).X)
			assert.Empty(t, f.removed)
			assert.Empty(t, f.check())
			f.confirmTick(1008)
			assert.Empty(t, f.check(), "it is in the histories as it is")
		})
	}
}

// A predicted despawn that the server does not make is undone in the first frame in which the
// confirmed tick has reached its tick, and no earlier, even without confirmed state of the entity;
// by a rollback, and without one if the entity is excluded from rollback.
//
// Proves: B12
func TestAPredictedDespawnIsUndoneAtTheConfirmedTick(t *testing.T) {
	for name, excluded := range map[string]bool{"compared": false, "with NoRollback": true} {
		t.Run(name, func(t *testing.T) {
			f, e := steady(t, nil)
			if excluded {
				f.world.Add(e, ecs.ComponentID[components.NoRollback](f.world))
			}
			wrong := true
			f.in(1008, func() {
				if wrong {
					f.p.Despawn(e)
				}
			})
			f.run(6)
			wrong = false
			for tick := entangle.Tick(1002); tick < 1008; tick++ {
				f.says(e, tick, fcPlace{int32(tick) - 991, 0}, fcPace{1, 0})
				f.confirmTick(tick)
				f.check()
				assert.Empty(t, f.has(e), "at %d", tick)
			}
			f.confirmTick(1008)
			f.check()
			assert.Equal(t, "place pace ", f.has(e))
		})
	}
}

// A rollback to before a predicted despawn brings the entity back for those ticks, and the replay
// despawns it again.
//
// Proves: B12
func TestAReplayDespawnsAgain(t *testing.T) {
	f, e := steady(t, nil)
	f.world.Add(e, f.fuel)
	f.holds(e).Left = 3
	f.in(1007, func() {
		assert.EqualValues(t, 3, f.holds(e).Left)
		f.p.Despawn(e)
	})
	f.run(3)
	assert.Empty(t, f.has(e))
	f.says(e, 1004, fcPlace{30, 0}, fcPace{1, 0})
	f.confirmTick(1004)
	assert.Equal(t, []string{"restore 1004", "tick 1005", "tick 1006", "tick 1007", "tick 1008"}, f.check())
	assert.Empty(t, f.has(e))
	assert.EqualValues(t, 1, f.p.Stats().Rollbacks[ByMismatch])
}

// An entity that the server despawns is despawned as of the tick of the despawn, and exists in the
// ticks before. It is removed when no rollback can go back to one of these.
//
// Proves: B23
func TestTheServersDespawn(t *testing.T) {
	f, a := steady(t, nil)
	b := f.spawns("b", 1001, fcPlace{50, 0}, fcPace{})
	f.says(a, 1005, fcPlace{14, 0}, fcPace{1, 0})
	f.confirmTick(1005)
	f.check()
	f.run(3)
	f.says(a, 1006, fcPlace{90, 0}, fcPace{1, 0})
	f.despawns(b, 1007)
	f.confirmTick(1006)
	var there []bool
	f.main(func() { there = append(there, f.world.Has(b, f.place)) })
	assert.Equal(t, []string{"restore 1006", "tick 1007", "insert 1007 b", "tick 1008"}, f.check())
	assert.Equal(t, []bool{true, false}, there, "the server took it away at the end of 1007")
	assert.True(t, f.world.Alive(b), "something may go back to 1006 yet")
	f.says(a, 1007, fcPlace{91, 0}, fcPace{1, 0})
	f.confirmTick(1007)
	assert.Empty(t, f.check())
	assert.Equal(t, []ecs.Entity{b}, f.removed)
	assert.EqualValues(t, 1, f.p.Stats().Rollbacks[ByMismatch])
}

// A despawn by the server alone causes a rollback, even if nothing else was mispredicted.
//
// Proves: B13
func TestAnUnpredictedDespawnGoesBack(t *testing.T) {
	f, e := steady(t, nil)
	f.despawns(e, 1003)
	f.confirmTick(1003)
	assert.Equal(t, []string{"restore 1003", "tick 1004", "tick 1005"}, f.check())
	assert.Equal(t, []ecs.Entity{e}, f.removed)
	assert.EqualValues(t, 1, f.p.Stats().Rollbacks[ByDespawn])
	f.run(1)
	assert.Zero(t, f.p.entities.table.Len())
}

// A despawn as of a future tick waits for that tick.
//
// Proves: B10
func TestADespawnInTheFuture(t *testing.T) {
	f, e := steady(t, nil)
	f.despawns(e, 1007)
	f.confirmTick(1007)
	f.run(1)
	assert.True(t, f.world.Has(e, f.place))
	f.run(1)
	assert.Equal(t, []string{"tick 1006", "tick 1007", "insert 1007 a"}, f.steps)
	f.run(1)
	assert.Equal(t, []ecs.Entity{e}, f.removed)
}

// An entity that the game removes from the world is removed for good, whatever the server sends and
// however deep a rollback is.
//
// Proves: B13
func TestWhatTheGameRemovesStaysRemoved(t *testing.T) {
	f, e := steady(t, nil)
	b := f.spawns("b", 1001, fcPlace{}, fcPace{})
	f.says(e, 1002, fcPlace{11, 0}, fcPace{1, 0})
	f.confirmTick(1002)
	f.check()
	f.world.RemoveEntity(e)
	f.run(1)
	f.says(b, 1003, fcPlace{5, 5}, fcPace{})
	f.confirmTick(1003)
	assert.Equal(t, []string{"restore 1003", "tick 1004", "tick 1005", "tick 1006"}, f.check())
	assert.False(t, f.world.Alive(e))
	assert.Equal(t, 1, f.p.entities.table.Len())
}

// Children that the game attaches to a predicted entity roll back with it: later spawns are
// repeated, changed values are restored, and a predicted despawn takes all of them.
//
// Proves: B17
func TestLocalChildrenGoBackWithTheirParents(t *testing.T) {
	f, e := steady(t, nil)
	var kid ecs.Entity
	spawned := 0
	f.in(1006, func() {
		kid = f.world.NewEntity(f.place, f.pace)
		f.world.Relations().Exchange(kid, []ecs.ID{f.child}, nil, f.child, e)
		*f.at(kid), *f.moves(kid) = fcPlace{1, 1}, fcPace{0, 1}
		spawned++
	})
	f.run(3)
	first := kid
	assert.True(t, f.p.Predicts(kid))
	assert.Equal(t, fcPlace{1, 3}, *f.at(kid), "two ticks")

	f.says(e, 1005, fcPlace{14, 4}, fcPace{1, 0})
	f.confirmTick(1005)
	assert.Equal(t, []string{"restore 1005", "tick 1006", "tick 1007", "tick 1008"}, f.check())
	assert.False(t, f.world.Alive(first))
	assert.NotEqual(t, first, kid)
	assert.Equal(t, 2, spawned)
	assert.Equal(t, fcPlace{1, 3}, *f.at(kid))

	f.says(e, 1007, fcPlace{16, 5}, fcPace{1, 0})
	f.confirmTick(1007)
	second := kid
	assert.Equal(t, []string{"restore 1007", "tick 1008"}, f.check())
	assert.Equal(t, second, kid, "it was there at 1007")
	assert.Equal(t, fcPlace{1, 3}, *f.at(kid), "once, not twice")

	wrong := true
	f.in(1009, func() {
		if wrong {
			f.p.Despawn(e)
		}
	})
	f.run(2)
	assert.Empty(t, f.has(e)+f.has(kid))
	wrong = false
	f.says(e, 1009, fcPlace{18, 5}, fcPace{1, 0})
	f.confirmTick(1009)
	f.check()
	assert.Equal(t, "place pace ", f.has(e))
	assert.True(t, f.world.Alive(kid))

	f.in(1011, func() { f.p.Despawn(e) })
	f.run(1)
	f.despawns(e, 1011)
	f.confirmTick(1011)
	f.check()
	assert.False(t, f.world.Alive(e) || f.world.Alive(kid))
}

// A child that was attached before its parent was predicted, or that was spawned outside of ticks,
// is no part of the simulation: its values are rolled back, and it is never removed.
//
// Proves: B17
func TestWhatTheGameDoesBetweenTicksIsNotUndone(t *testing.T) {
	f, e := steady(t, nil)
	kid := f.world.NewEntity(f.place)
	f.world.Relations().Exchange(kid, []ecs.ID{f.child}, nil, f.child, e)
	*f.at(kid) = fcPlace{3, 3}
	f.world.Add(e, f.fuel)
	f.holds(e).Left = 9
	f.says(e, 1003, fcPlace{40, 0}, fcPace{1, 0})
	f.confirmTick(1003)
	assert.NotEmpty(t, f.check())
	assert.True(t, f.world.Alive(kid))
	assert.Equal(t, fcPlace{3, 3}, *f.at(kid))
	assert.EqualValues(t, 9, f.holds(e).Left)
}

// An excluded entity is not compared, not moved by a rollback, and despawns only when the server
// despawns it.
//
// Proves: B18
func TestAnExcludedEntityStaysAsItIs(t *testing.T) {
	f, a := steady(t, nil)
	b := f.spawns("b", 1001, fcPlace{50, 0}, fcPace{1, 0})
	f.world.Add(b, ecs.ComponentID[components.NoRollback](f.world))
	f.says(a, 1003, fcPlace{60, 0}, fcPace{1, 0})
	f.says(b, 1003, fcPlace{90, 0}, fcPace{1, 0})
	f.confirmTick(1003)
	f.at(b).X = 55
	assert.Equal(t, []string{"restore 1003", "tick 1004", "tick 1005"}, f.check())
	assert.EqualValues(t, 62, f.at(a).X)
	assert.EqualValues(t, 55, f.at(b).X, "neither what the server said, nor moved by the replay")
	f.run(1)
	assert.EqualValues(t, 56, f.at(b).X)
	f.says(b, 1005, fcPlace{1, 1}, fcPace{1, 0})
	f.says(a, 1005, fcPlace{62, 0}, fcPace{1, 0})
	f.confirmTick(1005)
	assert.Empty(t, f.check())
	f.despawns(b, 1006)
	f.says(a, 1006, fcPlace{63, 0}, fcPace{1, 0})
	f.confirmTick(1006)
	assert.Empty(t, f.check())
	assert.Equal(t, []ecs.Entity{b}, f.removed)
}

// A child that is attached in the tick of its parent's despawn goes with it, and returns with it if the server keeps the
// parent.
//
// Proves: B17
func TestANewChildIsDespawnedWithItsParent(t *testing.T) {
	f, e := steady(t, nil)
	var kid, grandkid ecs.Entity
	f.in(1006, func() {
		kid, grandkid = f.world.NewEntity(f.fuel), f.world.NewEntity(f.fuel)
		f.hang(kid, e)
		f.hang(grandkid, kid)
		f.holds(kid).Left = 3
		f.p.Despawn(e)
	})
	f.run(2)
	assert.Empty(t, f.has(e)+f.has(kid)+f.has(grandkid))
	f.says(e, 1006, fcPlace{15, 0}, fcPace{1, 0})
	f.confirmTick(1006)
	require.NotEmpty(t, f.check())
	assert.Equal(t, "place pace ", f.has(e))
	assert.Equal(t, "fuel fuel ", f.has(kid)+f.has(grandkid))
	assert.EqualValues(t, 3, f.holds(kid).Left)
	f.despawns(e, 1008)
	f.confirmTick(1008)
	f.run(2)
	assert.False(t, f.world.Alive(kid) || f.world.Alive(grandkid))
}

// A prespawned child of the tick of its parent's despawn goes at once, as if it was despawned by itself.
//
// Proves: E5
func TestANewPrespawnedChildGoesWithItsParent(t *testing.T) {
	g := newFiring(t)
	e := g.fired(1003, 0)
	var kid, grandkid ecs.Entity
	g.ticks[1004] = func() {
		kid, grandkid = g.shoots(7), g.world.NewEntity(g.fuel)
		g.hang(kid, e)
		g.hang(grandkid, kid)
		g.p.Despawn(e)
	}
	g.run(1)
	assert.Empty(t, g.shots())
	assert.False(t, g.world.Alive(kid) || g.world.Alive(grandkid))
	assert.False(t, g.p.Intends(7))
}
