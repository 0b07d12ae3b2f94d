package predict

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/prespawn"
	"github.com/entangle-ecs/entangle/protocol"
)

// firing is a forecast of a game that spawns an entity in some ticks, at 100 times the tick.
type firing struct {
	*forecast
	fires   map[entangle.Tick]bool
	behind  int // by how many ticks interpolated entities are shown later
	after   []func()
	ticks   map[entangle.Tick]func() // what the game does in some ticks, also when they are replayed
	mark    ecs.ID                   // components.Prespawned
	spawned ecs.Entity               // the last one, as the game has spawned it
}

func newFiring(t *testing.T) *firing {
	g := &firing{fires: map[entangle.Tick]bool{}, ticks: map[entangle.Tick]func(){}, behind: 10}
	g.forecast = newForecast(t, func(c *PredictionConfig) {
		c.Protocol = fcProtocol()
		protocol.Component[components.Prespawned](c.Protocol)
		require.NoError(t, registry.Seal(c.Protocol))
		c.InterpolatedTick = func() entangle.Tick { return g.time.Tick - entangle.Tick(g.behind) }
	})
	g.mark = ecs.ComponentID[components.Prespawned](g.world)
	g.systems = append([]func(){g.p.BeginMain}, g.systems...)
	g.main(func() {
		if g.fires[g.time.Tick] {
			g.spawned = g.world.NewEntity(g.place, g.pace, g.kit, g.mark)
			g.at(g.spawned).X, g.moves(g.spawned).X = 100*int32(g.time.Tick), 1
		}
		if do := g.ticks[g.time.Tick]; do != nil {
			do()
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

// limit lets only so many entities wait for the server's.
func (g *firing) limit(entities int) {
	g.p.prespawned.matcher = prespawn.New(entities, g.world.Alive)
	g.p.lifecycle.isAbsent = g.p.prespawned.matcher.Absent
}

// shoots spawns an entity with a hash and more components.
func (g *firing) shoots(hash uint32, more ...ecs.ID) ecs.Entity {
	e := g.world.NewEntity(append(more, g.place, g.mark)...)
	(*components.Prespawned)(g.world.Get(e, g.mark)).Hash = hash
	return e
}

// arrives delivers an entity of the server with a hash, as of a tick.
func (g *firing) arrives(hash uint32, tick entangle.Tick) ecs.Entity {
	e := g.spawns("arrived", tick, fcPlace{X: 50}, fcPace{X: 1})
	g.p.PrespawnedArrived(e, g.p.entities.slotOf(e), hash, tick)
	return e
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
	for _, tick := range []entangle.Tick{1003, 1004} {
		g := newFiring(t)
		e := g.fired(tick, int(1006-tick))
		at := fcPlace{X: int32(100*tick + 1006 - tick)}
		there := map[entangle.Tick]int{}
		g.after = append(g.after, func() { there[g.time.Tick] = len(g.shots()) })
		g.p.entities.store.Clear() // nothing is held of 1002
		g.confirmTick(1002)
		assert.Equal(t, []string{"restore 1002", "tick 1003", "tick 1004", "tick 1005", "tick 1006"}, g.check())
		assert.Equal(t, map[entangle.Tick]int{1003: int(1004 - tick), 1004: 1, 1005: 1, 1006: 1}, there)
		assert.Equal(t, []ecs.Entity{e}, g.shots())
		assert.Equal(t, at, *g.at(e))
		assert.Equal(t, prespawn.Stats{Merged: 1}, g.p.Prespawned())
		g.p.Request(tick)
		g.check()
		assert.Equal(t, []ecs.Entity{e}, g.shots())
		assert.Equal(t, at, *g.at(e), "the histories have it since its tick")
	}
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
	assert.Empty(t, g.p.prespawned.into, "only the repeated spawns of a tick are kept")
}

// An entity of the server of a tick that has not run yet is not there before its tick, unless the clock is not set:
// then its tick says nothing.
//
// Proves: E2
func TestAnEntityOfATickToComeIsThereInItsTick(t *testing.T) {
	g := newFiring(t)
	e := g.arrives(77, 1004)
	assert.Empty(t, g.has(e))
	for g.time.Tick < 1003 {
		g.run(1)
		assert.Empty(t, g.has(e), "tick %d", g.time.Tick)
	}
	g.run(1)
	assert.Equal(t, "place pace ", g.has(e))
	assert.Equal(t, fcPlace{X: 50}, *g.at(e))

	late := g.arrives(78, 1004)
	assert.Equal(t, "place pace ", g.has(late), "its tick has run")

	g = newFiring(t)
	g.synced = false
	e = g.arrives(77, 1004)
	assert.Equal(t, "place pace ", g.has(e))
	g.world.Add(e, ecs.ComponentID[components.NoRollback](g.world))
	for range 3 {
		g.says(e, 1005, fcPlace{X: 60}, fcPace{X: 1})
		g.check()
		assert.Equal(t, "place pace ", g.has(e), "also when the state is taken over")
	}
}

// An entity waits for the server's for twice the distance to the tick that is shown, and for a bounded number of
// ticks whatever the distance is. What is shown can be ahead of the clock.
//
// Proves: E4
func TestTheWaitForTheServersEntityIsBounded(t *testing.T) {
	g := newFiring(t)
	for behind, want := range map[int]entangle.Tick{1: 2, 10: 20, 512: 1024, 513: 1024, 1 << 30: 1024, 0: 2, -1: 2, -512: 2, -513: 1024, -1 << 30: 1024} {
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

// The hash of an entity of the server is free when that has despawned it, when the client stops predicting it, and when
// the connection ends, which also removes what waits for the server's.
//
// Proves: E8
func TestAHashIsFreeAfterItsEntity(t *testing.T) {
	for name, end := range map[string]func(g *firing, e ecs.Entity){
		"despawned":    func(g *firing, e ecs.Entity) { g.despawns(e, 1004) },
		"not followed": func(g *firing, e ecs.Entity) { g.turnOff(e) },
		"disconnected": func(g *firing, _ ecs.Entity) { g.p.Clear() },
	} {
		t.Run(name, func(t *testing.T) {
			g := newFiring(t)
			e := g.arrives(7, 1001)
			waits := g.fired(1003, 0)
			require.True(t, g.p.Intends(7))
			end(g, e)
			assert.False(t, g.p.Intends(7))
			assert.Equal(t, name != "disconnected", g.world.Alive(waits))
		})
	}
}

// An entity that a replay spawns again has the components, values and target of the repeated spawn. A target that is
// spawned again too stays the entity that it is.
//
// Proves: E6
func TestARepeatedSpawnHasWhatTheReplayGaveIt(t *testing.T) {
	g := newFiring(t)
	colour, more := uint32(1), []ecs.ID{g.dock}
	var all []ecs.Entity
	g.ticks[1003] = func() {
		for hash := range uint32(3) {
			e := g.shoots(7+hash, more...)
			if g.world.Has(e, g.tint) {
				(*fcTint)(g.world.Get(e, g.tint)).Color = colour
			}
			if all = append(all, e); hash > 0 {
				g.world.Relations().Set(e, g.dock, all[len(all)-2])
			}
		}
	}
	g.run(3)
	was := all[:3]
	colour, more = 2, []ecs.ID{g.dock, g.tint}
	g.p.Request(1001)
	require.NotEmpty(t, g.check())
	require.EqualValues(t, 3, g.p.Prespawned().Merged)
	for i, e := range was {
		require.True(t, g.world.Has(e, g.tint))
		assert.EqualValues(t, 2, (*fcTint)(g.world.Get(e, g.tint)).Color)
		if target := g.world.Relations().Get(e, g.dock); i > 0 {
			assert.Equal(t, was[i-1], target)
		} else {
			assert.Zero(t, target)
		}
	}
}

// Each relation is searched once for what has a repeated spawn as its target, also one that is a hierarchy.
func TestRelationsOfRepeatedSpawnsAreSearchedOnce(t *testing.T) {
	g := newFiring(t)
	assert.ElementsMatch(t, []ecs.ID{g.child, g.dock, g.tow}, g.p.prespawned.relations)
}

// Despawn leaves entities alone that are neither predicted nor prespawned.
func TestDespawnIsNotForOtherEntities(t *testing.T) {
	g := newFiring(t)
	e := g.world.NewEntity(g.place)
	assert.False(t, g.p.Despawn(e))
	assert.True(t, g.world.Alive(e))
}

// An entity that loses components.Prespawned in its tick and gets it again is one spawn, also when a replay repeats it.
//
// Proves: E6, E8
func TestAMarkThatIsTakenOffAndPutBackIsOneSpawn(t *testing.T) {
	g := newFiring(t)
	g.ticks[1004] = func() {
		g.world.Remove(g.spawned, g.mark)
		g.world.Add(g.spawned, g.mark)
	}
	e := g.fired(1004, 2)
	assert.Zero(t, g.p.Prespawned())
	g.p.Request(1002)
	require.NotEmpty(t, g.check())
	assert.Equal(t, []ecs.Entity{e}, g.shots())
	assert.Equal(t, prespawn.Stats{Merged: 1}, g.p.Prespawned())
}

// A child that the game gave an entity before that was prespawned rolls back with it from then on.
//
// Proves: E12
func TestAnEarlierChildRollsBackWithAPrespawnedEntity(t *testing.T) {
	g := newFiring(t)
	var e, kid ecs.Entity
	g.ticks[1003] = func() {
		e, kid = g.world.NewEntity(g.place), g.world.NewEntity(g.fuel)
		g.hang(kid, e)
	}
	g.ticks[1004] = func() {
		if g.world.Alive(e) {
			g.world.Add(e, g.mark)
		}
	}
	g.run(2)
	require.False(t, g.p.Predicts(kid))
	g.run(1)
	assert.True(t, g.p.Predicts(e))
	assert.True(t, g.p.Predicts(kid))
}

// Before the clock is set, an entity goes in the tick of its spawn with its children, whichever of them are prespawned.
// Without a connection they stay.
//
// Proves: E4
func TestEntitiesBeforeTheClockIsSetGoWithTheirChildren(t *testing.T) {
	for connected, left := range map[bool]int{true: 0, false: 3} {
		g := newFiring(t)
		g.synced, g.connected = false, connected
		var e ecs.Entity
		g.ticks[1004] = func() {
			e = g.shoots(7)
			g.hang(g.shoots(8), e)
			g.hang(g.world.NewEntity(g.place), e)
		}
		places := func() int {
			q := g.world.Query(ecs.All(g.place))
			defer q.Close()
			return q.Count()
		}
		g.run(4)
		assert.Equal(t, left, places(), "connected: %v", connected)
		assert.Equal(t, !connected, g.world.Alive(e))
		assert.False(t, g.p.Predicts(e))
		assert.Zero(t, g.p.Prespawned())
	}
}

// An entity that is despawned in its tick takes its children along: new ones, also in a cycle, and those that roll back,
// which return if the server keeps them. Entities of the server stay.
//
// Proves: E5
func TestASpawnThatEndsInItsTickTakesItsChildrenAlong(t *testing.T) {
	g := newFiring(t)
	other := g.spawns("other", 1001, fcPlace{}, fcPace{})
	theirs := g.world.NewEntity(ecs.ComponentID[components.Remote](g.world))
	var both [2]ecs.Entity
	g.ticks[1004] = func() {
		e := g.shoots(7, g.child)
		both = [2]ecs.Entity{g.shoots(8), g.world.NewEntity(g.kit)}
		for _, child := range append(both[:], other, theirs) {
			g.hang(child, e)
		}
		g.world.Relations().Set(e, g.child, both[0])
		require.True(t, g.p.Despawn(e))
	}
	g.run(3)
	assert.Empty(t, g.shots())
	assert.False(t, g.world.Alive(both[0]) || g.world.Alive(both[1]))
	assert.True(t, g.world.Alive(theirs))
	assert.True(t, g.world.Alive(other))
	assert.Empty(t, g.has(other))
	g.says(other, 1004, fcPlace{}, fcPace{})
	g.confirmTick(1004)
	g.check()
	assert.Equal(t, "place pace ", g.has(other))
}

// An entity that gives way to others of a tick is removed with its children, those of that tick too.
//
// Proves: E4, E6
func TestAnEntityGivesWayWithItsChildren(t *testing.T) {
	g := newFiring(t)
	g.limit(3)
	base := g.spawns("base", 1001, fcPlace{}, fcPace{}) // so that it is not the first slot that is given up
	g.says(base, 1001, fcPlace{}, fcPace{})
	var old, kid ecs.Entity
	g.ticks[1003] = func() { old = g.shoots(7, g.fuel) }
	g.ticks[1004] = func() {
		g.shoots(8)
		if g.world.Has(old, g.place) {
			kid = g.shoots(9)
			g.hang(kid, old)
			g.hang(g.world.NewEntity(g.heat), old)
		}
	}
	g.run(3)
	require.Len(t, g.shots(), 3)
	g.ticks[1005] = func() { g.shoots(10) }
	g.run(1)
	assert.False(t, g.world.Alive(old) || g.world.Alive(kid))
	assert.Len(t, g.shots(), 2)
	heats := func() int {
		q := g.world.Query(ecs.All(g.heat))
		defer q.Close()
		return q.Count()
	}
	assert.Zero(t, heats())

	g.ticks[1006] = func() { // more than there is room for, and a child of the first that gives way
		first := g.shots()[0]
		g.hang(g.shoots(20), first)
		kid := g.world.NewEntity(g.heat)
		g.hang(kid, first)
		g.hang(g.world.NewEntity(g.heat), kid)
		for hash := range uint32(3) {
			g.shoots(21 + hash)
		}
	}
	g.run(1)
	assert.Zero(t, heats())
	assert.Len(t, g.shots(), 3)
	assert.Empty(t, g.p.prespawned.givenUp)
}

// An entity that a replay spawns again and that gives way to another one of the tick is merged first, and then removed.
//
// Proves: E4, E6
func TestARepeatedSpawnGivesWay(t *testing.T) {
	g := newFiring(t)
	g.limit(2)
	hashes := []uint32{7}
	g.ticks[1003] = func() {
		for _, hash := range hashes {
			g.shoots(hash)
		}
	}
	g.run(3)
	was := g.shots()[0]
	hashes = []uint32{7, 8, 9}
	g.p.Request(1001)
	require.NotEmpty(t, g.check())
	assert.False(t, g.world.Alive(was), "it was found again, and gave way then")
	assert.Len(t, g.shots(), 2)
	assert.EqualValues(t, 1, g.p.Prespawned().Merged)
	assert.EqualValues(t, 1, g.p.Prespawned().Overflow)
}

// An entity of the server that waits to be assembled is there in all ticks. A replay that spawns it leaves it as it is,
// and references to the spawn become references to the entity, also where that has one itself.
//
// Proves: E6
func TestASpawnOfAnEntityThatIsThereAlreadyIsMergedIntoIt(t *testing.T) {
	g := newFiring(t)
	e := g.world.NewEntity(append(g.p.Marks(), g.tint, g.tow)...)
	slot := g.p.Track(e)
	state := g.p.Store().Confirmed(slot)
	state.Tick, state.Known, state.Mask = 1004, true, set.MaskOf(g.col(g.tint))
	g.p.Confirmed(slot)
	g.p.entities.isBare = func(s rollback.Slot) bool { return s == slot } // its blueprint is of a tick to come
	g.run(4)
	g.p.PrespawnedArrived(e, slot, 7, 1004)
	holder := g.spawns("holder", 1001, fcPlace{}, fcPace{})
	g.world.Add(holder, g.tow)
	var again ecs.Entity
	g.ticks[1004] = func() {
		again = g.shoots(7)
		g.world.Relations().Set(holder, g.tow, again)
		g.world.Relations().Set(e, g.tow, again)
	}
	g.p.Request(1002)
	require.NotEmpty(t, g.check())
	require.EqualValues(t, 1, g.p.Prespawned().Merged)
	assert.False(t, g.world.Alive(again))
	assert.Equal(t, e, g.world.Relations().Get(holder, g.tow))
	assert.NotEqual(t, e, g.world.Relations().Get(e, g.tow), "Arche allows no entity to be its own target")
	assert.False(t, g.world.Has(e, g.place), "it is not spawned again with what the replay gave it")
	assert.True(t, g.world.Has(e, g.tint))
	assert.NotPanics(t, func() { g.world.RemoveEntity(e) })
}

// A client that is behind the server gets each state of an entity before its tick. The entity appears in the tick of its
// first state, although that state is replaced by then.
//
// Proves: E3
func TestAnEntityOfATickToComeAppearsInIt(t *testing.T) {
	g := newFiring(t)
	g.run(1)
	e := g.arrives(77, 1004)
	for tick := entangle.Tick(1003); tick != 1010; tick++ {
		g.says(e, tick+2, fcPlace{X: 50 + int32(tick+2-1004)}, fcPace{X: 1})
		g.run(1)
		require.Equal(t, tick, g.time.Tick)
		require.Equal(t, tick != 1003, g.world.Has(e, g.place), "in %d", tick)
		if tick == 1003 {
			continue
		}
		assert.Equal(t, fcPlace{X: 50 + int32(tick-1004)}, *g.at(e))
	}
	assert.Zero(t, g.p.Stats().Total(), "no rollback")
}

// An entity of the server that is spawned again has at most one relation: one that is written as it arrives stays, and
// not that of the spawn.
//
// Proves: E6
func TestARepeatedSpawnHasTheRelationOfTheServer(t *testing.T) {
	g := newFiring(t)
	parent, berth := g.world.NewEntity(), g.world.NewEntity()
	e := g.arrives(7, 1004)
	slot := g.p.entities.slotOf(e)
	g.hang(e, parent)
	state := g.p.Store().Confirmed(slot)
	state.Mask.Set(g.col(g.child))
	state.Target = columns.PackEntity(parent)
	g.ticks[1004] = func() {
		again := g.shoots(7, g.dock)
		g.world.Relations().Set(again, g.dock, berth)
	}
	g.run(4)
	require.EqualValues(t, 1, g.p.Prespawned().Merged)
	assert.Equal(t, parent, g.world.Relations().Get(e, g.child))
	assert.False(t, g.world.Has(e, g.dock))
}

// The server decides whether a matched entity is despawned. One that the client has despawned ahead of the match stays
// in the world until the server's state of that tick arrives, however late, and then returns.
//
// Proves: E5
func TestAMatchedEntityWaitsForTheServersDespawn(t *testing.T) {
	g := newFiring(t)
	e := g.fired(1003, 0)
	hash := g.p.prespawned.source.HashOf(e)
	g.in(1004, func() { g.p.Despawn(e) })
	g.run(1)
	is, ok := g.p.MatchPrespawned(hash, 1003)
	require.True(t, ok)
	require.Equal(t, e, is)
	g.says(e, 1003, fcPlace{X: 100301}, fcPace{X: 1})
	g.run(3 * g.p.cfg.MaxRollback)
	require.True(t, g.world.Alive(e))
	assert.Empty(t, g.has(e))
	g.says(e, g.time.Tick, fcPlace{X: 5}, fcPace{X: 1})
	g.confirmTick(g.time.Tick)
	g.check()
	assert.Equal(t, "place pace kit ", g.has(e))
}
