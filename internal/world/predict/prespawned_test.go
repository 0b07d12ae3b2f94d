package predict

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/prespawn"
	"github.com/entangle-ecs/entangle/protocol"
)

// firing is a forecast of a game that spawns an entity in some ticks, at 100 times the tick.
type firing struct {
	*forecast
	fires   map[entangle.Tick]bool
	behind  int // by how many ticks interpolated entities are shown later
	after   []func()
	spawned ecs.Entity // the last one, as the game has spawned it
}

func newFiring(t *testing.T) *firing {
	g := &firing{fires: map[entangle.Tick]bool{}, behind: 10}
	g.forecast = newForecast(t, func(c *PredictionConfig) {
		c.Protocol = fcProtocol()
		protocol.Component[components.Prespawned](c.Protocol)
		require.NoError(t, registry.Seal(c.Protocol))
		c.InterpolatedTick = func() entangle.Tick { return g.time.Tick - entangle.Tick(g.behind) }
	})
	mark := ecs.ComponentID[components.Prespawned](g.world)
	g.systems = append([]func(){g.p.BeginMain}, g.systems...)
	g.main(func() {
		if g.fires[g.time.Tick] {
			g.spawned = g.world.NewEntity(g.place, g.pace, g.kit, mark)
			g.at(g.spawned).X, g.moves(g.spawned).X = 100*int32(g.time.Tick), 1
		}
		for _, do := range g.after {
			do()
		}
		g.p.EndMain()
	})
	g.run(1)
	g.confirmTick(1001)
	return g
}

// shots returns the entities that are there, with a place.
func (g *firing) shots() (all []ecs.Entity) {
	for q := generic.NewFilter2[fcPlace, components.Prespawned]().Query(g.world); q.Next(); {
		all = append(all, q.Entity())
	}
	return all
}

// fired runs up to a tick, in which an entity is spawned, and some ticks more.
func (g *firing) fired(tick entangle.Tick, more int) ecs.Entity {
	g.fires[tick] = true
	g.run(int(tick.Sub(g.time.Tick)) + more)
	require.Len(g.t, g.shots(), 1)
	return g.shots()[0]
}

// If the histories begin again before the spawn of an entity, it is not there until the replay spawns it again: it
// is the same one then, and there is no other one.
//
// Proves: E6
func TestARestartBringsBackWhatItSpawnsAgain(t *testing.T) {
	g := newFiring(t)
	e := g.fired(1004, 2)
	there := map[entangle.Tick]int{}
	g.after = append(g.after, func() { there[g.time.Tick] = len(g.shots()) })
	g.p.entities.store.Clear() // nothing is held of 1002
	g.confirmTick(1002)
	assert.Equal(t, []string{"restore 1002", "tick 1003", "tick 1004", "tick 1005", "tick 1006"}, g.check())
	assert.Equal(t, map[entangle.Tick]int{1003: 0, 1004: 1, 1005: 1, 1006: 1}, there)
	assert.Equal(t, []ecs.Entity{e}, g.shots())
	assert.Equal(t, fcPlace{X: 100402}, *g.at(e))
	assert.Equal(t, prespawn.Stats{Merged: 1}, g.p.Prespawned())
	g.p.Request(1004)
	g.check()
	assert.Equal(t, []ecs.Entity{e}, g.shots())
	assert.Equal(t, fcPlace{X: 100402}, *g.at(e), "the histories have it since 1004")
}

// If the clock is set back to before the spawn, and the present is taken over from the confirmed state, the entity
// is gone until its tick spawns it.
//
// Proves: E6
func TestNothingIsLeftOfASpawnThatIsToCome(t *testing.T) {
	g := newFiring(t)
	g.fired(1010, 2)
	g.jump(-6)
	g.confirmTick(980)
	g.check()
	assert.Empty(t, g.shots())
	g.run(4)
	assert.Len(t, g.shots(), 1)
	assert.Zero(t, g.p.Prespawned().Collisions)
}

// An entity that a replay has spawned again is in the histories as any other: later rollbacks to after its spawn
// find it.
//
// Proves: E6, E12
func TestASpawnThatWasRepeatedIsInTheHistories(t *testing.T) {
	g := newFiring(t)
	e := g.fired(1004, 4)
	for _, to := range []entangle.Tick{1002, 1005, 1003, 1006, 1007} {
		g.p.Request(to)
		require.NotEmpty(t, g.check())
		require.Equal(t, []ecs.Entity{e}, g.shots(), "after a rollback to %d", to)
		require.Equal(t, fcPlace{X: 100404}, *g.at(e))
		assert.False(t, g.p.entities.forms[g.p.entities.slotOf(e)].Disabled)
	}
}

// An entity of the server of a tick that has not run yet is not there before its tick, unless the clock is not set:
// then its tick says nothing.
//
// Proves: E2
func TestAnEntityOfATickToComeIsThereInItsTick(t *testing.T) {
	g := newFiring(t)
	e := g.spawns("a", 1004, fcPlace{X: 50}, fcPace{X: 1})
	g.p.PrespawnedArrived(e, g.p.entities.slotOf(e), 77, 1004)
	assert.Empty(t, g.has(e))
	for g.time.Tick < 1003 {
		g.run(1)
		assert.Empty(t, g.has(e), "tick %d", g.time.Tick)
	}
	g.run(1)
	assert.Equal(t, "place pace ", g.has(e))
	assert.Equal(t, fcPlace{X: 50}, *g.at(e))

	g = newFiring(t)
	g.synced = false
	e = g.spawns("a", 1004, fcPlace{X: 50}, fcPace{X: 1})
	g.p.PrespawnedArrived(e, g.p.entities.slotOf(e), 77, 1004)
	assert.Equal(t, "place pace ", g.has(e))
	g.world.Add(e, ecs.ComponentID[components.NoRollback](g.world))
	for range 3 {
		g.says(e, 1005, fcPlace{X: 60}, fcPace{X: 1})
		g.check()
		assert.Equal(t, "place pace ", g.has(e), "also when the state is taken over")
	}
}

// An entity waits for the server's for twice the distance to the tick that is shown, and for a bounded number of
// ticks whatever the distance is, also if the clocks have just jumped.
//
// Proves: E4
func TestTheWaitForTheServersEntityIsBounded(t *testing.T) {
	g := newFiring(t)
	for behind, want := range map[int]entangle.Tick{1: 2, 10: 20, 512: 1024, 513: 1024, 1 << 30: 1024, 0: 1024, -1: 1024, -1 << 30: 1024} {
		g.behind = behind
		assert.Equal(t, want, g.p.prespawned.lifetime(), "%d ticks", behind)
	}
	g.behind = 4
	e := g.fired(1003, 7)
	g.confirmTick(1010)
	g.check()
	assert.True(t, g.world.Alive(e))
	g.run(1)
	g.check()
	assert.False(t, g.world.Alive(e))
	assert.EqualValues(t, 1, g.p.Prespawned().Unmatched)
}

// Entities that are not spawned yet where histories begin again make room in the world for others, which keep their
// values: those of the present, where there are no confirmed ones.
//
// Proves: E6
func TestARestartKeepsTheValuesOfOtherEntities(t *testing.T) {
	g := newFiring(t)
	e := g.fired(1002, 1)
	g.fires[1004] = true
	g.run(2)
	g.world.Add(e, g.fuel) // it moves behind the other one, in the memory of the world
	g.world.Remove(e, g.fuel)
	g.carries(e).Size = 7
	g.run(1)
	was := g.at(e).X
	g.p.entities.store.Clear()
	g.confirmTick(1003)
	assert.Len(t, g.check(), 4)
	assert.Len(t, g.shots(), 2)
	assert.Equal(t, was+3, g.at(e).X)
	assert.EqualValues(t, 7, g.carries(e).Size)
}

// Despawn leaves entities alone that are neither predicted nor prespawned.
func TestDespawnIsNotForOtherEntities(t *testing.T) {
	g := newFiring(t)
	e := g.world.NewEntity(g.place)
	assert.False(t, g.p.Despawn(e))
	assert.True(t, g.world.Alive(e))
}
