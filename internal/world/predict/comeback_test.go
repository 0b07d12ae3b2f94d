package predict

import (
	"strings"
	"testing"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// withKid is steady with a child that the game spawned on the entity, and a child of that child.
func withKid(t *testing.T) (f *forecast, e, kid, grandkid ecs.Entity) {
	f, e = steady(t, nil)
	kid, grandkid = f.world.NewEntity(f.place, f.fuel), f.world.NewEntity(f.fuel)
	f.hang(kid, e)
	f.hang(grandkid, kid)
	f.holds(kid).Left, f.holds(grandkid).Left = 4, 5
	f.run(1)
	return f, e, kid, grandkid
}

// An entity returns if its prediction ends while it is despawned ahead of the server, and so do the
// game's own children that were despawned with it; entities that the game despawned separately do
// not.
//
// Proves: B12, B17
func TestPredictionEndsWhileDespawned(t *testing.T) {
	f, e, kid, grandkid := withKid(t)
	alone := f.world.NewEntity(f.fuel)
	f.hang(alone, e)
	f.run(1)
	f.in(f.time.Tick+1, func() { f.p.Despawn(alone) })
	f.in(f.time.Tick+2, func() { f.p.Despawn(e) })
	f.run(2)
	assert.Empty(t, f.has(e)+f.has(kid)+f.has(grandkid))
	f.turnOff(e)
	f.check()
	assert.Equal(t, "place fuel ", f.has(kid))
	assert.Equal(t, "fuel ", f.has(grandkid))
	assert.EqualValues(t, 4, f.holds(kid).Left)
	assert.EqualValues(t, 5, f.holds(grandkid).Left)
	assert.False(t, f.p.Predicts(kid) || f.p.Predicts(grandkid))
	assert.Empty(t, f.has(alone))
	f.confirmTick(f.time.Tick)
	f.run(2)
	assert.True(t, f.world.Alive(kid) && f.world.Alive(grandkid))
	assert.False(t, f.world.Alive(alone))
}

// A child with only components that the game added returns when the world is restored to a tick before
// its despawn, whether it was despawned by itself or with its parent. It has the components of that
// tick, and the replay despawns it again.
//
// Proves: B16, B17
func TestAChildOfTheGamesOwnIsThereBeforeItWasDespawned(t *testing.T) {
	for name, by := range map[string]func(*forecast, ecs.Entity, ecs.Entity){
		"by itself":       func(f *forecast, _, kid ecs.Entity) { f.p.Despawn(kid) },
		"with its parent": func(f *forecast, e, _ ecs.Entity) { f.p.Despawn(e) },
	} {
		t.Run(name, func(t *testing.T) {
			f, e := steady(t, nil)
			kid := f.world.NewEntity(f.fuel)
			f.hang(kid, e)
			f.main(func() {
				if f.world.Has(kid, f.fuel) {
					f.holds(kid).Left++
				}
			})
			f.run(4)
			f.in(1010, func() { by(f, e, kid) })
			there := map[entangle.Tick]int{}
			f.main(func() {
				if f.world.Has(kid, f.fuel) {
					there[f.time.Tick] = int(f.holds(kid).Left)
				}
			})
			f.run(2)
			require.Empty(t, f.has(kid))
			clear(there)
			f.says(e, 1007, fcPlace{50, 0}, fcPace{1, 0})
			f.confirmTick(1007)
			f.check()
			assert.Equal(t, map[entangle.Tick]int{1008: 3, 1009: 4}, there)
			assert.Empty(t, f.has(kid))
		})
	}
}

// An entity that is excluded from rollback and was despawned ahead of the server returns if the
// server has not despawned it by the confirmed tick, with the children that the game spawned; there is
// no rollback for it.
//
// Proves: B12, B18
func TestDespawningWhatIsKeptOutOfRollbacks(t *testing.T) {
	f, e, kid, _ := withKid(t)
	f.world.Add(e, ecs.ComponentID[components.NoRollback](f.world))
	f.run(1)
	at := f.time.Tick + 1
	f.in(at, func() { f.p.Despawn(e) })
	f.run(3)
	f.confirmTick(at - 1)
	assert.Empty(t, f.check())
	assert.Empty(t, f.has(e)+f.has(kid))
	f.confirmTick(at)
	assert.Empty(t, f.check())
	assert.Equal(t, "place pace ", f.has(e))
	assert.Equal(t, "place fuel ", f.has(kid))
	assert.EqualValues(t, 10, f.at(e).X, "as the server said it last")
	assert.EqualValues(t, 4, f.holds(kid).Left)
	f.confirmTick(at + 1)
	f.run(2)
	assert.True(t, f.world.Alive(kid))
	assert.Zero(t, f.p.Stats().Total())
}

// If the server despawns an excluded entity too, it is removed.
//
// Proves: B12, B18
func TestDespawningWhatIsKeptOutOfRollbacksAsTheServerDoes(t *testing.T) {
	f, e, kid, _ := withKid(t)
	f.world.Add(e, ecs.ComponentID[components.NoRollback](f.world))
	f.run(1)
	at := f.time.Tick + 1
	f.in(at, func() { f.p.Despawn(e) })
	f.run(3)
	f.despawns(e, at)
	f.confirmTick(at)
	assert.Empty(t, f.check())
	assert.False(t, f.world.Alive(e) || f.world.Alive(kid))
}

// A replay that despawns an excluded entity for the first time changes neither the entity nor its
// children.
//
// Proves: B18
func TestAReplayDespawnsNothingThatIsKeptOutOfIt(t *testing.T) {
	f, e, kid, _ := withKid(t)
	f.world.Add(e, ecs.ComponentID[components.NoRollback](f.world))
	other := f.spawns("o", f.time.Tick, fcPlace{}, fcPace{})
	f.run(3)
	again := false
	f.in(f.time.Tick, func() {
		if again {
			f.p.Despawn(e)
		}
	})
	again = true
	f.says(other, f.time.Tick-2, fcPlace{77, 0}, fcPace{})
	f.confirmTick(f.time.Tick - 2)
	assert.NotEmpty(t, f.check())
	assert.Equal(t, "place pace ", f.has(e))
	assert.Equal(t, "place fuel ", f.has(kid))
	f.confirmTick(f.time.Tick)
	f.run(2)
	assert.True(t, f.world.Alive(kid))
}

// If a server despawns an entity as of a tick far ahead, the entity is removed after MaxRollback ticks
// at the latest.
func TestADespawnFarAheadIsNotWaitedFor(t *testing.T) {
	f, e := steady(t, nil)
	f.despawns(e, f.time.Tick+entangle.Tick(1<<30))
	f.confirmTick(f.time.Tick)
	f.run(2*f.p.cfg.MaxRollback + 2)
	assert.Equal(t, []ecs.Entity{e}, f.removed)
	assert.Empty(t, f.p.lifecycle.leaving)
}

// A replay that changes the structure of an excluded entity leaves the entity unchanged in the end,
// whichever components it has.
//
// Proves: B18
func TestAReplayReshapesNothingThatIsKeptOutOfIt(t *testing.T) {
	whole, own, shown := "place pace kit fuel ", "fuel ", "tint "
	for name, c := range map[string]struct {
		has string
		do  func(f *forecast, e ecs.Entity)
	}{
		"it removes a compared one":     {whole, func(f *forecast, e ecs.Entity) { f.world.Remove(e, f.pace) }},
		"it removes one of the game's":  {whole, func(f *forecast, e ecs.Entity) { f.world.Remove(e, f.fuel) }},
		"it removes two":                {whole, func(f *forecast, e ecs.Entity) { f.world.Remove(e, f.fuel, f.place) }},
		"it exchanges one":              {"place pace kit ", func(f *forecast, e ecs.Entity) { f.world.Exchange(e, []ecs.ID{f.fuel}, []ecs.ID{f.kit}) }},
		"it despawns it":                {whole, func(f *forecast, e ecs.Entity) { f.p.Despawn(e) }},
		"it removes all":                {own, func(f *forecast, e ecs.Entity) { f.world.Remove(e, f.fuel) }},
		"it despawns one of the game's": {own, func(f *forecast, e ecs.Entity) { f.p.Despawn(e) }},
		"it despawns what is shown":     {shown, func(f *forecast, e ecs.Entity) { f.p.Despawn(e) }},
	} {
		t.Run(name, func(t *testing.T) {
			f, other := steady(t, nil)
			e := f.spawns("b", 1005, fcPlace{10, 0}, fcPace{})
			f.run(1)
			f.says(e, 1006, fcPlace{10, 0}, fcPace{})
			word := f.p.Store().Confirmed(f.p.entities.slotOf(e))
			word.Mask = set.Mask{}
			f.world.Remove(e, f.place, f.pace)
			for _, of := range []struct {
				name string
				id   ecs.ID
			}{{"place", f.place}, {"pace", f.pace}, {"kit", f.kit}, {"tint", f.tint}, {"fuel", f.fuel}} {
				if strings.Contains(c.has, of.name) {
					f.world.Add(e, of.id)
					if of.id != f.fuel {
						word.Mask.Set(f.col(of.id))
					}
				}
			}
			f.world.Add(e, ecs.ComponentID[components.NoRollback](f.world))
			values := map[ecs.ID]func(){f.place: func() { f.at(e).X = 3 }, f.kit: func() { f.carries(e).Size = 4 }, f.fuel: func() { f.holds(e).Left = 5 }}
			for id, chosen := range values {
				if f.world.Has(e, id) {
					chosen()
				}
			}
			again := false
			f.run(3)
			f.in(f.time.Tick, func() {
				if again {
					c.do(f, e)
				}
			})
			again = true
			f.says(other, f.time.Tick-2, fcPlace{77, 0}, fcPace{})
			f.confirmTick(f.time.Tick - 2)
			require.NotEmpty(t, f.check())
			require.Equal(t, c.has, f.has(e))
			if f.world.Has(e, f.place) {
				assert.EqualValues(t, 3, f.at(e).X)
			}
			if f.world.Has(e, f.kit) {
				assert.EqualValues(t, 4, f.carries(e).Size)
			}
			if f.world.Has(e, f.fuel) {
				assert.EqualValues(t, 5, f.holds(e).Left)
			}
		})
	}
}
