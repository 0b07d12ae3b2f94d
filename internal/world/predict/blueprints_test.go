package predict

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/protocol"
)

// The blueprint of these tests, from which an entity gets a place, a pace and a component that is not registered.
type (
	fbPlan struct {
		components.At
		X int32
	}
	fbSpin  struct{ Angle int32 }
	fbParts struct {
		fcPlace
		fcPace
		fbSpin
	}
)

// assembling is a forecast of a game with blueprints. An entity that is assembled moves from its own tick on.
type assembling struct {
	*forecast
	plan, spin ecs.ID
	there      map[entangle.Tick]string // what an entity has after each tick's simulation
	watched    ecs.Entity
	received   entangle.Tick // of the newest state of each entity of the server
	shown      entangle.Tick // the tick at which interpolated entities are shown
}

func newAssembling(t *testing.T) *assembling {
	g := &assembling{there: map[entangle.Tick]string{}}
	g.forecast = newForecast(t, func(c *PredictionConfig) {
		c.Protocol = fcProtocol()
		protocol.Blueprint(c.Protocol, func(_ *ecs.World, _ ecs.Entity, b fbPlan) fbParts {
			return fbParts{fcPlace{X: b.X}, fcPace{X: 1}, fbSpin{b.X}}
		})
		require.NoError(t, registry.Seal(c.Protocol))
		c.InterpolatedTick = func() entangle.Tick { return g.shown }
	})
	g.plan, g.spin = ecs.ComponentID[fbPlan](g.world), ecs.ComponentID[fbSpin](g.world)
	g.p.blueprints.received = func(ecs.Entity) (entangle.Tick, bool) { return g.received, g.received > 0 }
	g.systems = append([]func(){g.p.Assemble}, g.systems...)
	g.main(func() {
		if !g.watched.IsZero() && g.world.Alive(g.watched) {
			g.there[g.time.Tick] = g.parts(g.watched)
		}
	})
	g.run(1)
	g.confirmTick(1001)
	return g
}

// parts returns the names of the components that an entity has.
func (g *assembling) parts(e ecs.Entity) string {
	names := g.has(e)
	for _, c := range []struct {
		name string
		id   ecs.ID
	}{{"plan ", g.plan}, {"spin ", g.spin}} {
		if g.world.Has(e, c.id) {
			names += c.name
		}
	}
	return names
}

// plans delivers an entity with a blueprint of a tick, as of another one, and further components.
func (g *assembling) plans(asOf, tick entangle.Tick, more ...ecs.ID) ecs.Entity {
	e := g.world.NewEntity(append(append(g.p.Marks(), g.plan), more...)...)
	*g.planOf(e) = fbPlan{components.At{Tick: tick}, 100}
	slot := g.p.Track(e)
	g.names[slot] = "planned"
	state := g.p.Store().Confirmed(slot)
	*state = rollback.Confirmed{Known: true, Tick: asOf, Mask: set.MaskOf(g.col(g.plan))}
	for _, id := range more {
		state.Mask.Set(g.col(id))
		copy(g.p.Store().ConfirmedValue(slot, g.col(id)), g.p.entities.cols[g.col(id)].memoryOf(e))
	}
	copy(g.p.Store().ConfirmedValue(slot, g.col(g.plan)), g.p.entities.cols[g.col(g.plan)].memoryOf(e))
	g.p.Confirmed(slot)
	g.watched = e
	return e
}

// moving delivers the place and the pace of an entity, as of the tick of its state.
func (g *assembling) moving(e ecs.Entity, place fcPlace, pace fcPace) {
	*g.at(e), *g.moves(e) = place, pace
	slot := g.p.entities.slotOf(e)
	for _, id := range []ecs.ID{g.place, g.pace} {
		copy(g.p.Store().ConfirmedValue(slot, g.col(id)), g.p.entities.cols[g.col(id)].memoryOf(e))
	}
}

func (g *assembling) planOf(e ecs.Entity) *fbPlan { return (*fbPlan)(g.world.Get(e, g.plan)) }

// An entity that arrives before its tick is assembled in it. One that arrives later is assembled in the replay, and
// is in no tick before: whether the server's state is of a tick before its own or of a later one.
//
// Proves: T4
func TestAnEntityIsAssembledInItsTickInAReplay(t *testing.T) {
	for _, due := range []entangle.Tick{1005, 1008} {
		g := newAssembling(t)
		g.run(3)
		e := g.plans(1002, due)
		g.check()
		g.run(6)
		if due == 1008 {
			assert.Equal(t, "plan ", g.there[1007])
		}
		assert.Equal(t, "place pace plan spin ", g.there[due])
		assert.Equal(t, fcPlace{X: 101 + int32(1010-due)}, *g.at(e))
		assert.Zero(t, g.p.Stats().Rollbacks)
	}

	for asOf, before := range map[entangle.Tick]string{1003: "kit plan ", 1006: ""} {
		g := newAssembling(t)
		g.run(8)
		var e ecs.Entity
		if asOf.Before(1005) {
			e = g.plans(asOf, 1005, g.kit)
		} else { // the server has assembled it
			e = g.plans(asOf, 1005, g.kit, g.place, g.pace)
			g.moving(e, fcPlace{X: 102}, fcPace{X: 1})
		}
		g.p.Request(1003) // further back than the blueprint needs
		g.check()
		assert.Equal(t, before, g.there[1004], "as of %d", asOf)
		assert.Equal(t, "place pace kit plan spin ", g.there[1005], "as of %d", asOf)
		assert.Equal(t, "place pace kit plan spin ", g.there[1009], "as of %d", asOf)
		assert.Equal(t, fcPlace{X: 105}, *g.at(e), "as of %d", asOf)
		assert.Equal(t, fbSpin{100}, *(*fbSpin)(g.world.Get(e, g.spin)))
		g.run(20)
		assert.Empty(t, g.p.blueprints.absent, "no rollback reaches the tick any more")
	}
}

// An entity that arrived late, and of which the histories have no tick before its own, waits in the ticks before if a rollback
// goes back to one of them: also if it was despawned since.
//
// Proves: T4
func TestALateEntityWaitsBeforeItsTick(t *testing.T) {
	for _, despawned := range []bool{false, true} {
		g := newAssembling(t)
		g.systems = append(g.systems, func() {
			if g.world.Alive(g.watched) && g.world.Has(g.watched, g.spin) {
				(*fbSpin)(g.world.Get(g.watched, g.spin)).Angle++
			}
		})
		g.run(5)
		g.set = false // otherwise the first rollback would go back to 1002
		e := g.plans(1002, 1005)
		assert.Equal(t, "restore 1004", g.check()[0])
		if despawned {
			g.in(1007, func() {
				if !g.time.Replaying {
					g.p.Despawn(e)
				}
			})
		}
		g.run(1)
		g.confirmTick(1003)
		assert.Equal(t, "restore 1003", g.check()[0])
		assert.Equal(t, "plan ", g.there[1004], "despawned: %v", despawned)
		assert.Equal(t, "place pace plan spin ", g.there[1005], "despawned: %v", despawned)
		assert.Equal(t, fcPlace{X: 103}, *g.at(e), "despawned: %v", despawned)
		assert.Equal(t, fbSpin{103}, *(*fbSpin)(g.world.Get(e, g.spin)), "despawned: %v", despawned)
	}
}

// When histories restart at a tick, an entity of a later tick is assembled again in its tick: in the ticks before, it
// lacks what it has got, also what the server does not send, or is absent if the server has assembled it.
//
// Proves: T4, B11
func TestARestartAssemblesEntitiesOfLaterTicks(t *testing.T) {
	for name, c := range map[string]struct {
		asOf   entangle.Tick
		before string
	}{"that wait": {1001, "plan "}, "that the server has assembled": {1006, ""}} {
		t.Run(name, func(t *testing.T) {
			g := newAssembling(t)
			g.systems = append(g.systems, func() {
				if g.world.Alive(g.watched) && g.world.Has(g.watched, g.spin) {
					(*fbSpin)(g.world.Get(g.watched, g.spin)).Angle++
				}
			})
			e := g.plans(1001, 1005)
			g.run(8)
			assert.Equal(t, fcPlace{X: 105}, *g.at(e))
			if c.asOf == 1006 {
				state := g.p.Store().Confirmed(g.p.entities.slotOf(e))
				state.Tick = c.asOf
				state.Mask.Set(g.col(g.place))
				state.Mask.Set(g.col(g.pace))
				g.moving(e, fcPlace{X: 102}, fcPace{X: 1})
				g.p.Confirmed(g.p.entities.slotOf(e))
			}
			g.p.entities.store.Clear()
			g.confirmTick(1003)
			assert.Equal(t, "restore 1003", g.check()[0])
			assert.Equal(t, c.before, g.there[1004])
			assert.Equal(t, "place pace plan spin ", g.there[1005])
			assert.Equal(t, fcPlace{X: 105}, *g.at(e))
			assert.Equal(t, fbSpin{105}, *(*fbSpin)(g.world.Get(e, g.spin)))
		})
	}
}

// Confirmed state that is too old for a rollback, and of a tick before the entity's own, takes nothing off it.
//
// Proves: T4, B11
func TestAnAssembledEntityStaysSoInAResync(t *testing.T) {
	g := newAssembling(t)
	g.plans(1001, 1005)
	g.run(40)
	g.confirmTick(1010)
	g.check()
	assert.EqualValues(t, 1, g.p.Stats().Resyncs)
	assert.Equal(t, "place pace plan spin ", g.parts(g.watched))
	g.run(2)
	assert.Equal(t, "place pace plan spin ", g.there[g.time.Tick])
	assert.Equal(t, fcPlace{X: 139}, *g.at(g.watched))
}

// Confirmed state that is too old for a rollback, of the tick of an entity or of a later one, is the entity's.
//
// Proves: T4
func TestAnAssembledEntityIsAsConfirmedInAResync(t *testing.T) {
	for _, tick := range []entangle.Tick{1005, 1006} {
		g := newAssembling(t)
		e := g.plans(1001, 1005)
		g.run(40)
		g.says(e, tick, fcPlace{X: 7}, fcPace{X: 1})
		g.confirmTick(1010)
		g.check()
		assert.EqualValues(t, 1, g.p.Stats().Resyncs)
		assert.Equal(t, fcPlace{X: 7}, *g.at(e), "as of %d", tick)
	}
}

// An entity that the game has despawned in its own tick, and the server has not, returns with what was assembled.
//
// Proves: T4, B12
func TestAnEntityThatReturnsInItsTickIsAssembled(t *testing.T) {
	g := newAssembling(t)
	g.run(1)
	e := g.plans(1002, 1005)
	g.check()
	g.main(func() {
		if g.time.Tick == 1005 && !g.time.Replaying {
			(*fbSpin)(g.world.Get(e, g.spin)).Angle = 55
			g.p.Despawn(e)
		}
	})
	g.run(6)
	assert.Empty(t, g.parts(e))
	g.says(e, 1005, fcPlace{X: 101}, fcPace{X: 1})
	g.confirmTick(1005)
	assert.Equal(t, "restore 1005", g.check()[0])
	assert.Equal(t, "place pace plan spin ", g.parts(e))
	assert.Equal(t, fbSpin{55}, *(*fbSpin)(g.world.Get(e, g.spin)), "it is not assembled again")
}

// An entity that waits for a tick to come, and has values that are compared, has arrived as any other: its values are
// of their tick.
//
// Proves: T4
func TestAnEntityWithValuesIsAsOfTheirTick(t *testing.T) {
	g := newAssembling(t)
	g.run(4)
	e := g.plans(1001, 1030, g.place, g.pace)
	g.moving(e, fcPlace{}, fcPace{X: 1})
	assert.Equal(t, "restore 1001", g.check()[0])
	assert.Equal(t, fcPlace{X: 4}, *g.at(e))
}

// A blueprint of a tick that is too long ago, and one of an entity that does not roll back, ask for no rollback: the
// entity is assembled in the next tick.
//
// Proves: T4
func TestABlueprintThatIsTooLateAsksForNoRollback(t *testing.T) {
	g := newAssembling(t)
	g.run(30)
	g.confirmTick(g.time.Tick)
	g.plans(g.time.Tick, g.time.Tick-17)
	local := g.world.NewEntity(g.plan)
	*g.planOf(local) = fbPlan{components.At{Tick: g.time.Tick - 5}, 100}
	assert.Empty(t, g.check())
	assert.Equal(t, "plan ", g.parts(local))
	g.run(1)
	assert.Equal(t, "place pace plan spin ", g.parts(local))
	assert.Contains(t, g.parts(g.watched), "spin ")
	assert.Zero(t, g.p.Stats().Total())

	g.plans(g.time.Tick, g.time.Tick-12)
	g.jump(6)
	for _, step := range g.check() {
		assert.NotContains(t, step, "restore", "more than MaxRollback ticks before the present")
	}
}

// A client that has predicted nothing assembles an entity in its tick as any other does, also in one that is before the
// client's first.
//
// Proves: T4
func TestAnEntityIsAssembledBeforeTheFirstTick(t *testing.T) {
	g := newAssembling(t)
	e := g.plans(1001, 998, g.place, g.pace)
	g.moving(e, fcPlace{X: 104}, fcPace{X: 1})
	assert.Equal(t, "restore 997", g.check()[0])
	assert.Equal(t, map[entangle.Tick]string{997: "", 998: "place pace plan spin "}, clipped(g.there, 997, 999))
	assert.Equal(t, fcPlace{X: 104}, *g.at(e))
}

// If there are no histories, they begin before the tick of an entity that the server has assembled by the confirmed
// tick. Other entities have their confirmed state as of that tick.
//
// Proves: T4
func TestARestartAssemblesInTheTick(t *testing.T) {
	g := newAssembling(t)
	g.synced = false
	other := g.spawns("other", 1004, fcPlace{X: 50}, fcPace{X: 1})
	e := g.plans(1006, 1005, g.place, g.pace)
	g.moving(e, fcPlace{X: 102}, fcPace{X: 1})
	g.run(2)
	g.says(other, 1006, fcPlace{X: 52}, fcPace{X: 1})
	g.synced = true
	g.confirmTick(1006)
	g.jump(7)
	clear(g.there)
	assert.Equal(t, "restore 1004", g.check()[0])
	assert.Equal(t, map[entangle.Tick]string{1004: "", 1005: "place pace plan spin "}, clipped(g.there, 1004, 1006))
	assert.Equal(t, g.time.Tick, g.p.progress.worldTick)
	assert.Equal(t, fcPlace{X: 102 + int32(g.time.Tick-1006)}, *g.at(e))
	assert.Equal(t, fcPlace{X: 52 + int32(g.time.Tick-1006)}, *g.at(other))
}

// The server's state may be of a tick that has not run here. If the server has assembled the entity by then, it is
// assembled in its own tick also here: in one that has run, by a rollback, and in one that is to come, in which it
// appears. That it is disabled until the tick of its state, as a prespawned entity is, makes no difference.
//
// Proves: T4, T7
func TestAnEntityOfAStateToComeIsAssembledInItsTick(t *testing.T) {
	for _, due := range []entangle.Tick{1003, 1005, 1006, 1007, 1008} {
		for _, prespawned := range []bool{false, true} {
			g := newAssembling(t)
			g.run(4)
			require.Equal(t, entangle.Tick(1005), g.time.Tick)
			e := g.plans(1008, due, g.place, g.pace)
			g.moving(e, fcPlace{X: 100 + int32(1009-due)}, fcPace{X: 1})
			if prespawned {
				g.p.PrespawnedArrived(e, g.p.entities.slotOf(e), 77, 1008)
			}
			g.check()
			g.run(1)
			g.p.Request(1002) // another rollback changes nothing
			g.run(5)
			for tick := entangle.Tick(1003); tick != 1012; tick++ {
				want := ""
				if !tick.Before(due) {
					want = "place pace plan spin "
				}
				assert.Equal(t, want, g.there[tick], "assembled in %d, in %d, prespawned: %v", due, tick, prespawned)
			}
			assert.Equal(t, fcPlace{X: 100 + int32(1012-due)}, *g.at(e), "assembled in %d", due)
		}
	}
}

// A prespawned entity that has arrived as of a tick to come, in which it waits, is disabled until then. If a newer state,
// in which the server has assembled it, replaces that one before, it is assembled in its tick all the same.
//
// Proves: T4, T7
func TestAnEntityThatWaitsInAStateToComeIsAssembledInItsTick(t *testing.T) {
	for name, c := range map[string]struct {
		hasParts bool
		newer    func(g *assembling, e ecs.Entity)
	}{
		"with more components": {false, func(g *assembling, e ecs.Entity) { g.says(e, 1008, fcPlace{X: 101}, fcPace{X: 1}) }},
		"of a later tick":      {false, func(g *assembling, e ecs.Entity) { g.says(e, 1009, fcPlace{X: 102}, fcPace{X: 1}) }},
		"with other values": {true, func(g *assembling, e ecs.Entity) {
			slot := g.p.entities.slotOf(e)
			g.p.Store().Confirmed(slot).Tick = 1008
			g.p.Updated(slot, 1008)
		}},
	} {
		g := newAssembling(t)
		g.run(4)
		require.Equal(t, entangle.Tick(1005), g.time.Tick)
		var parts []ecs.ID
		if c.hasParts {
			parts = []ecs.ID{g.place, g.pace}
		}
		e := g.plans(1007, 1008, parts...)
		g.p.PrespawnedArrived(e, g.p.entities.slotOf(e), 77, 1007)
		g.run(1)
		c.newer(g, e)
		assert.Empty(t, g.parts(e), name)
		g.run(1)
		assert.NotContains(t, g.parts(e), "spin", name)
		assert.Contains(t, g.parts(e), "plan", "%s: it waits", name)
		for range 2 {
			g.run(1)
			assert.Equal(t, "place pace plan spin ", g.parts(e), "%s, in %d", name, g.time.Tick)
		}
		assert.Zero(t, g.p.Stats().Total(), "%s: no rollback", name)
	}
}

// A blueprint that the game adds between two ticks without a tick gets the next one.
//
// Proves: T4
func TestABlueprintWithoutATickGetsTheNext(t *testing.T) {
	g := newAssembling(t)
	g.watched = g.world.NewEntity(append(g.p.Marks(), g.plan)...)
	g.check()
	assert.Equal(t, g.time.Tick+1, g.planOf(g.watched).Tick)
	g.run(1)
	assert.Equal(t, "place pace plan spin ", g.parts(g.watched))
	past := g.world.NewEntity(append(g.p.Marks(), g.plan)...)
	g.planOf(past).Tick = g.time.Tick - 2
	g.p.SetBlueprintTicks()
	assert.Equal(t, g.time.Tick+1, g.planOf(past).Tick, "of a system of the simulation, in which no tick is over")
	remote := g.world.NewEntity(g.plan, ecs.ComponentID[components.Remote](g.world))
	for _, tick := range []entangle.Tick{0, 1000} {
		g.planOf(remote).Tick = tick
		g.p.SetBlueprintTicks()
		g.check()
		assert.Equal(t, tick, g.planOf(remote).Tick, "the server says when")
	}
}

// An entity of another player is assembled when it is shown as of its tick: an interpolated one when the shown tick is
// there, and any other as soon as its state is.
//
// Proves: T4
func TestARemoteEntityIsAssembledWhenItIsShown(t *testing.T) {
	for name, c := range map[string]struct {
		received, shown entangle.Tick
		interpolated    bool
		want            string
	}{
		"nothing yet":                 {0, 1000, false, "plan "},
		"its state is older":          {1004, 1000, false, "plan "},
		"its state is there":          {1005, 1000, false, "plan spin "},
		"it is shown later":           {1005, 1004, true, "plan "},
		"it is shown as of its tick":  {1005, 1005, true, "plan spin "},
		"it is shown, and is at rest": {1001, 1005, true, "plan spin "},
	} {
		g := newAssembling(t)
		remote, late := ecs.ComponentID[components.Remote](g.world), ecs.ComponentID[components.Interpolated](g.world)
		e := g.world.NewEntity(g.plan, remote)
		if c.interpolated {
			g.world.Add(e, late)
		}
		g.planOf(e).Tick = 1005
		g.received, g.shown = c.received, c.shown
		g.p.AssembleRemote()
		assert.Equal(t, c.want, g.parts(e), name)
	}
}

// An entity that has the place of one which was assembled late, and is despawned now, is in no tick before its own.
//
// Proves: T4
func TestTheSuccessorOfALateEntityIsNotAssembled(t *testing.T) {
	g := newAssembling(t)
	g.run(8)
	late := g.plans(1006, 1005, g.kit)
	g.check()
	slot := g.p.entities.slotOf(late)
	g.world.RemoveEntity(late)
	g.check()
	g.check() // the place is free now, and no tick has run
	e := g.spawns("next", 1008, fcPlace{X: 50}, fcPace{X: 1})
	g.world.Add(e, g.kit)
	g.check()
	require.Equal(t, slot, g.p.entities.slotOf(e))
	g.watched = e
	g.p.Request(1003)
	g.check()
	assert.Equal(t, map[entangle.Tick]string{1004: "", 1005: "", 1006: "", 1007: ""}, clipped(g.there, 1004, 1008))
	assert.Equal(t, "place pace kit ", g.there[1009])
}

// clipped returns the ticks from one up to another one.
func clipped(all map[entangle.Tick]string, from, end entangle.Tick) map[entangle.Tick]string {
	some := map[entangle.Tick]string{}
	for tick := from; tick != end; tick++ {
		some[tick] = all[tick]
	}
	return some
}

// That an entity has lost its blueprint counts from the tick on in which it did, so that no replay of an earlier one
// assembles the entity again.
//
// Proves: T4
func TestALostBlueprintIsLostInItsTick(t *testing.T) {
	g := newAssembling(t)
	e := g.plans(1001, 1003)
	g.in(1006, func() { g.world.Remove(e, g.plan) })
	g.run(5)
	require.Equal(t, "place pace spin ", g.parts(e))
	g.p.AssembleRemote() // between two ticks
	g.check()
	slot := g.p.entities.slotOf(e)
	mark := g.p.blueprints.kinds[0].mark
	assert.True(t, g.p.entities.forms[slot].Mask.Has(mark), "the next tick takes it off")
	g.run(1)
	assert.False(t, g.p.entities.forms[slot].Mask.Has(mark))
}
