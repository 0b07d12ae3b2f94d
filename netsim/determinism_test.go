package netsim_test

import (
	"math/rand/v2"
	"sort"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/ecs/event"
	"github.com/mlange-42/arche/generic"
	"github.com/mlange-42/arche/listener"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

// The components of the game of these tests: ships fly, shoot and are hit.
type (
	ship struct {
		Number int32
		At     struct{ X, Y float32 }
		Heat   float32
		Last   ecs.Entity // the last shot of this ship
	}
	wheel struct {
		Turn  int8 `net:"range=-1..1"`
		Shoot bool
	}
	shot     struct{ Left, Number int32 }
	firedBy  struct{ ecs.Relation }
	burning  struct{ For int32 }
	weather  struct{ Wind float32 }
	looseEnd struct{ Drift float32 }
)

func shipProtocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "ships"})
	protocol.Component[components.ControlledBy](p)
	protocol.Component[ship](p).Predict(protocol.Full)
	protocol.Component[shot](p).Predict(protocol.Full)
	protocol.Component[firedBy](p).Predict(protocol.Full)
	protocol.Input[wheel](p)
	protocol.Local[burning](p)
	protocol.Resource[weather](p).Rollback()
	return p
}

// shipSystem is a system over all ships.
func shipSystem(update func(w *ecs.World, each func(do func(e ecs.Entity, s *ship)))) plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		filter := generic.NewFilter1[ship]()
		return func() {
			update(w, func(do func(e ecs.Entity, s *ship)) {
				for q := filter.Query(w); q.Next(); {
					do(q.Entity(), q.Get())
				}
			})
		}
	})
}

// flyShips is a deterministic system.
func flyShips(w *ecs.World) func() {
	filter := generic.NewFilter2[ship, wheel]()
	wind := generic.NewResource[weather](w)
	return func() {
		wind.Get().Wind += 0.25
		for q := filter.Query(w); q.Next(); {
			s, h := q.Get()
			s.At.X += float32(h.Turn) + wind.Get().Wind
			s.At.Y++
		}
	}
}

// shootShots spawns shots in the order of the ships. The shots are equal in any order.
func shootShots(w *ecs.World) func() {
	ships := generic.NewFilter2[ship, wheel]()
	shots := generic.NewMap2[shot, firedBy](w, generic.T[firedBy]())
	get := generic.NewMap[ship](w)
	var by []ecs.Entity
	return func() {
		by = by[:0]
		for q := ships.Query(w); q.Next(); {
			if _, h := q.Get(); h.Shoot {
				by = append(by, q.Entity())
			}
		}
		for _, e := range by {
			get.Get(e).Last = shots.NewWith(&shot{Left: 5, Number: get.Get(e).Number}, &firedBy{}, e)
		}
	}
}

// endShots removes expired shots, and sets their ships on fire for a while.
func endShots(w *ecs.World) func() {
	shots, fires := generic.NewFilter1[shot](), generic.NewFilter1[burning]()
	by, burn := generic.NewMap[firedBy](w), generic.NewMap1[burning](w)
	var over, out []ecs.Entity
	return func() {
		over, out = over[:0], out[:0]
		for q := shots.Query(w); q.Next(); {
			if q.Get().Left--; q.Get().Left <= 0 {
				over = append(over, q.Entity())
			}
		}
		for q := fires.Query(w); q.Next(); {
			if q.Get().For--; q.Get().For == 0 {
				out = append(out, q.Entity())
			}
		}
		for _, e := range out {
			burn.Remove(e)
		}
		for _, e := range over {
			if ship := by.GetRelation(e); !w.Has(ship, ecs.ComponentID[burning](w)) {
				burn.Assign(ship, &burning{For: 3})
			}
			w.RemoveEntity(e)
		}
	}
}

// addShips adds a game with a deterministic simulation.
func addShips(app plugin.App) {
	app.AddSystem(plugin.FixedMain, plugin.Func(flyShips))
	app.AddSystem(plugin.FixedMain, plugin.Func(shootShots))
	app.AddSystem(plugin.FixedMain, plugin.Func(endShots))
}

func setupShips(w *ecs.World) {
	ecs.AddResource(w, &weather{})
	all, loose := generic.NewMap3[ship, wheel, components.Replicate](w), generic.NewMap1[looseEnd](w)
	for n := range int32(12) {
		e := all.NewWith(&ship{Number: n}, &wheel{}, &components.Replicate{})
		if n%3 == 0 {
			loose.Add(e)
		}
	}
}

// ships returns the game, with another system added before its last one.
func ships(system plugin.System) netsim.Determinism {
	return netsim.Determinism{
		Protocol: shipProtocol(), Setup: setupShips, Ticks: 120,
		AddSystems: func(app plugin.App) {
			app.AddSystem(plugin.FixedMain, plugin.Func(flyShips))
			app.AddSystem(plugin.FixedMain, plugin.Func(shootShots))
			app.AddSystem(plugin.FixedMain, system)
			app.AddSystem(plugin.FixedMain, plugin.Func(endShots))
		},
	}
}

func TestADeterministicGamePasses(t *testing.T) {
	spawned := 0
	netsim.CheckDeterminism(t, netsim.Determinism{
		Protocol: shipProtocol(), Setup: setupShips,
		AddSystems: func(app plugin.App) {
			addShips(app)
			app.AddSystem(plugin.AfterSend, plugin.Func(func(w *ecs.World) func() {
				filter := generic.NewFilter1[shot]()
				return func() {
					q := filter.Query(w)
					spawned += q.Count()
					q.Close()
				}
			}))
		},
	})
	assert.Greater(t, spawned, 1000, "the game plays")
}

// foundIn checks the game with another system, and returns the difference that the check finds.
func foundIn(t *testing.T, make func() plugin.System) *netsim.NotDeterministic {
	t.Helper()
	d := ships(nil)
	d.AddSystems = func(app plugin.App) {
		addShips(app)
		app.AddSystem(plugin.FixedMain, make())
	}
	var found *netsim.NotDeterministic
	require.ErrorAs(t, d.Check(), &found)
	assert.Equal(t, 4, found.Place)
	t.Log(found)
	return found
}

// State outside the world is found, because two runs of a tick from the same world give different
// results.
func TestStateOutsideTheWorldIsFound(t *testing.T) {
	calls := 0
	for name, update := range map[string]func(w *ecs.World, each func(func(ecs.Entity, *ship))){
		"the order of a map": func(_ *ecs.World, each func(func(ecs.Entity, *ship))) {
			all := map[int32]*ship{}
			each(func(_ ecs.Entity, s *ship) { all[s.Number] = s })
			var heat float32
			for _, s := range all {
				s.Heat = heat
				heat++
			}
		},
		"a variable beside the world": func(_ *ecs.World, each func(func(ecs.Entity, *ship))) {
			calls++
			each(func(_ ecs.Entity, s *ship) { s.Heat = float32(calls) })
		},
		"a timer beside the world": func(_ *ecs.World, each func(func(ecs.Entity, *ship))) {
			calls++
			if calls%20 == 0 {
				each(func(_ ecs.Entity, s *ship) { s.Heat++ })
			}
		},
		"the clock": func(_ *ecs.World, each func(func(ecs.Entity, *ship))) {
			each(func(_ ecs.Entity, s *ship) { s.Heat = float32(time.Now().UnixNano() % 1e9) })
		},
		"random numbers of the process": func(_ *ecs.World, each func(func(ecs.Entity, *ship))) {
			each(func(_ ecs.Entity, s *ship) { s.Heat = rand.Float32() })
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := foundIn(t, func() plugin.System { return shipSystem(update) })
			assert.NotEqual(t, netsim.DependsOnOrder, f.Cause)
			assert.Equal(t, "ship.Heat", f.What)
			assert.NotEqual(t, f.First, f.Again)
			assert.False(t, f.Entity.IsZero())
			assert.Contains(t, f.Error(), "system 4 of FixedMain")
		})
	}
}

// A dependency on the order of entities is found, because a repeated tick has them in another
// order.
func TestDependenceOnTheOrderOfEntitiesIsFound(t *testing.T) {
	for name, update := range map[string]func(w *ecs.World, each func(func(ecs.Entity, *ship))){
		"a number for each": func(_ *ecs.World, each func(func(ecs.Entity, *ship))) {
			var n float32
			each(func(_ ecs.Entity, s *ship) { s.Heat = n; n++ })
		},
		"a sum of floats": func(_ *ecs.World, each func(func(ecs.Entity, *ship))) {
			var sum float32
			each(func(_ ecs.Entity, s *ship) { sum += s.At.X * 1.1 })
			each(func(_ ecs.Entity, s *ship) { s.Heat = sum })
		},
		"the first of several": func(_ *ecs.World, each func(func(ecs.Entity, *ship))) {
			first := true
			each(func(_ ecs.Entity, s *ship) {
				if first {
					s.Heat++
				}
				first = false
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := foundIn(t, func() plugin.System { return shipSystem(update) })
			assert.Equal(t, netsim.DependsOnOrder, f.Cause)
			assert.Equal(t, "ship.Heat", f.What)
			assert.Contains(t, f.Error(), "components.SID")
		})
	}
}

// After sorting, the sums are the same.
func TestSortedEntitiesPass(t *testing.T) {
	d := ships(shipSystem(nil))
	d.AddSystems = func(app plugin.App) {
		addShips(app)
		app.AddSystem(plugin.FixedMain, shipSystem(func(_ *ecs.World, each func(func(ecs.Entity, *ship))) {
			var all []*ship
			each(func(_ ecs.Entity, s *ship) { all = append(all, s) })
			sort.Slice(all, func(i, j int) bool { return all[i].Number < all[j].Number })
			var sum float32
			for _, s := range all {
				sum += s.At.X * 1.1
				s.Heat = sum
			}
		}))
	}
	assert.NoError(t, d.Check())
}

// A game that draws its random numbers from the tick passes, and one with a generator that belongs
// to a system does not.
func TestRandomNumbersOfTheTickPass(t *testing.T) {
	d := ships(nil)
	d.AddSystems = func(app plugin.App) {
		addShips(app)
		app.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
			filter, random := generic.NewFilter1[ship](), plugin.NewRandom(w, 9)
			return func() {
				for q := filter.Query(w); q.Next(); {
					q.Get().Heat = random.Of(uint64(q.Get().Number)).Float32()
				}
			}
		}))
	}
	assert.NoError(t, d.Check())
}

// A component that is not registered is not restored, so the results that depend on it differ; the
// message names it.
func TestStateThatIsNotRegisteredIsFound(t *testing.T) {
	f := foundIn(t, func() plugin.System {
		return plugin.Func(func(w *ecs.World) func() {
			filter := generic.NewFilter2[ship, looseEnd]()
			return func() {
				for q := filter.Query(w); q.Next(); {
					s, l := q.Get()
					l.Drift++
					s.Heat = l.Drift
				}
			}
		})
	})
	assert.Equal(t, netsim.NotRestored, f.Cause)
	assert.Equal(t, [2]string{"1", "2"}, [2]string{f.First, f.Again}, "it goes on from where the game has it")
	assert.Equal(t, []string{"netsim_test.looseEnd"}, f.Unregistered)
	assert.Contains(t, f.Error(), "protocol.Local")
}

// Entities, components, targets and resources that differ are named.
func TestTheDifferenceIsNamed(t *testing.T) {
	calls := 0
	other := func() bool { calls++; return calls%2 == 0 }
	first := func(w *ecs.World) ecs.Entity {
		filter := generic.NewFilter1[ship]()
		q := filter.Query(w)
		q.Next()
		e := q.Entity()
		q.Close()
		return e
	}
	system := func(do func(w *ecs.World)) func() plugin.System {
		return func() plugin.System {
			return plugin.Func(func(w *ecs.World) func() { return func() { do(w) } })
		}
	}
	for what, do := range map[string]func(w *ecs.World){
		"": func(w *ecs.World) {
			if other() {
				w.RemoveEntity(first(w))
			}
		},
		"netsim_test.burning": func(w *ecs.World) {
			burn := generic.NewMap1[burning](w)
			if e := first(w); other() && !w.Has(e, ecs.ComponentID[burning](w)) {
				burn.Assign(e, &burning{For: 9})
			}
		},
		"weather.Wind": func(w *ecs.World) {
			if other() {
				ecs.GetResource[weather](w).Wind--
			}
		},
		"a new entity with netsim_test.burning": func(w *ecs.World) {
			if other() {
				burn := generic.NewMap1[burning](w)
				burn.New()
			}
		},
		"burning.For of a new entity": func(w *ecs.World) {
			other()
			burn := generic.NewMap1[burning](w)
			burn.NewWith(&burning{For: int32(calls)})
		},
	} {
		t.Run(what, func(t *testing.T) {
			assert.Equal(t, what, foundIn(t, system(do)).What)
		})
	}
}

// Ships that fire in the same tick may do so in any order: their shots then have other ids but
// count as equal. A shot that belongs to another ship counts as different.
func TestNewEntitiesAreComparedByTheirContent(t *testing.T) {
	twist := func(wrong bool) func() plugin.System {
		return func() plugin.System {
			return plugin.Func(func(w *ecs.World) func() {
				filter, shots := generic.NewFilter1[ship](), generic.NewMap1[shot](w)
				return func() {
					var all []*ship
					for q := filter.Query(w); q.Next(); {
						all = append(all, q.Get())
					}
					if !wrong {
						sort.Slice(all, func(i, j int) bool { return all[i].Number < all[j].Number })
					}
					a, b := shots.NewWith(&shot{Number: 100, Left: 9}), shots.NewWith(&shot{Number: 200, Left: 9})
					for _, s := range all {
						s.Last, a, b = a, b, a
					}
				}
			})
		}
	}
	d := ships(nil)
	d.AddSystems = func(app plugin.App) { app.AddSystem(plugin.FixedMain, twist(false)()) }
	require.NoError(t, d.Check())
	d.AddSystems = func(app plugin.App) { app.AddSystem(plugin.FixedMain, twist(true)()) }
	var found *netsim.NotDeterministic
	require.ErrorAs(t, d.Check(), &found)
	assert.Equal(t, netsim.DependsOnOrder, found.Cause)
}

// New entities with equal values are told apart by the references to them.
func TestReferencesToANewEntityAreCompared(t *testing.T) {
	d := ships(nil)
	d.AddSystems = func(app plugin.App) {
		app.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
			filter, shots := generic.NewFilter1[ship](), generic.NewMap1[shot](w)
			return func() {
				a, b := shots.New(), shots.New()
				last := int32(-1)
				for q := filter.Query(w); q.Next(); {
					s := q.Get()
					s.Last = a
					if s.Number == 0 && last > 3 {
						s.Last = b
					}
					last = s.Number
				}
			}
		}))
	}
	var found *netsim.NotDeterministic
	require.ErrorAs(t, d.Check(), &found)
	assert.Equal(t, netsim.DependsOnOrder, found.Cause)
}

// Listeners of the game receive the changes of its systems, and not the restoring of the world.
func TestListenersReceiveOnlyTheSystemsEvents(t *testing.T) {
	var ended, appeared int
	d := ships(nil)
	d.AddSystems = func(app plugin.App) {
		addShips(app)
		app.AddSystem(plugin.AfterReceive, plugin.Func(func(w *ecs.World) func() {
			shots, ship := ecs.ComponentID[shot](w), ecs.ComponentID[ship](w)
			now := ecs.GetResource[components.Time](w)
			ears := listener.NewCallback(func(_ *ecs.World, e ecs.EntityEvent) {
				switch {
				case e.Contains(event.EntityRemoved) && e.Removed.Get(shots):
					ended++
				case now.Tick > 0 && e.Added.Get(ship):
					appeared++
				}
			}, event.All)
			ecs.GetResource[listener.Dispatch](w).AddListener(&ears)
			return nil
		}))
	}
	require.NoError(t, d.Check())
	assert.Positive(t, ended)
	assert.Zero(t, ended%3, "each ends in the game and in two repetitions")
	assert.Zero(t, appeared)
}

// Systems that run only the first time of a tick are skipped when it is repeated, because they are
// no part of the simulation.
func TestRepeatedTicksAreReplays(t *testing.T) {
	sounds := 0
	d := ships(nil)
	system := func(do func(s *ship)) func(plugin.App) {
		return func(app plugin.App) {
			addShips(app)
			app.AddSystem(plugin.FixedMain, plugin.FirstTime(shipSystem(func(_ *ecs.World, each func(func(ecs.Entity, *ship))) {
				sounds++
				each(func(_ ecs.Entity, s *ship) { do(s) })
			})))
		}
	}
	d.AddSystems = system(func(*ship) {})
	require.NoError(t, d.Check())
	assert.Equal(t, d.Ticks, sounds)
	d.AddSystems = system(func(s *ship) { s.Heat++ })
	var found *netsim.NotDeterministic
	require.ErrorAs(t, d.Check(), &found)
	assert.Equal(t, netsim.NotRestored, found.Cause)
}

// The test failure contains all information needed to reproduce it.
func TestTheCheckSaysHowToRepeatIt(t *testing.T) {
	d := ships(nil)
	d.Seed = 77
	d.AddSystems = func(app plugin.App) {
		app.AddSystem(plugin.FixedMain, shipSystem(func(_ *ecs.World, each func(func(ecs.Entity, *ship))) {
			each(func(_ ecs.Entity, s *ship) { s.Heat = rand.Float32() })
		}))
	}
	err := netsim.Try("TestAGame", func(t *netsim.Trial) { netsim.CheckDeterminism(t, d) })
	require.Error(t, err)
	assert.Contains(t, err.Error(), "in tick 1, system 1 of FixedMain")
	assert.Contains(t, err.Error(), "seed 77; repeat with: go test -count=1 -run '^TestAGame$' .")
}

func TestAGameThatCannotBeCheckedIsAnError(t *testing.T) {
	calls := 0
	for says, d := range map[string]netsim.Determinism{
		"no Protocol":   {AddSystems: addShips},
		"no AddSystems": {Protocol: shipProtocol()},
		"Ticks is -1":   {Protocol: shipProtocol(), AddSystems: addShips, Ticks: -1},
		"no system":     {Protocol: shipProtocol(), AddSystems: func(plugin.App) {}},
		"nothing to check": {Protocol: shipProtocol(), AddSystems: func(app plugin.App) {
			app.AddSystem(plugin.FixedMain, shipSystem(func(*ecs.World, func(func(ecs.Entity, *ship))) {}))
		}, Ticks: 3},
		"1 systems to FixedMain": {Protocol: shipProtocol(), AddSystems: func(app plugin.App) {
			for range calls + 1 {
				app.AddSystem(plugin.FixedMain, shipSystem(func(*ecs.World, func(func(ecs.Entity, *ship))) {}))
			}
			calls++
		}},
	} {
		err := d.Check()
		assert.ErrorContains(t, err, says)
		assert.NotErrorAs(t, err, new(*netsim.NotDeterministic))
	}
}
