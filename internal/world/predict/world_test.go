package predict

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/input"
	"github.com/entangle-ecs/entangle/internal/world/message"
	"github.com/entangle-ecs/entangle/internal/world/tick"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/require"
)

// The predicted components: a place that moves by a pace in every tick, a component that is shown
// as it arrives, one that is sent once, and one that is never sent.
type (
	fcPlace struct{ X, Y int32 }
	fcPace  struct{ X, Y int32 }
	fcTint  struct{ Color uint32 }
	fcKit   struct{ Size uint32 }
	fcFuel  struct{ Left int32 }
	fcHeat  struct{ Degrees int32 } // compared with a tolerance of 2
	fcDock  struct{ ecs.Relation }
	fcLeash struct{ ecs.Relation } // it is not in the protocol
	fcTow   struct{ ecs.Relation }
)

func fcProtocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "forecast", TickRate: 60})
	protocol.Component[fcPlace](p).Predict(protocol.Full)
	protocol.Component[fcPace](p).Predict(protocol.Full)
	protocol.Component[fcTint](p)
	protocol.Component[fcHeat](p).Predict(protocol.Full).Tolerance(func(a, b fcHeat) bool {
		return max(a.Degrees, b.Degrees)-min(a.Degrees, b.Degrees) <= 2
	})
	protocol.Component[fcKit](p).Predict(protocol.Once)
	protocol.Component[components.ChildOf](p)
	protocol.Component[fcDock](p).Predict(protocol.Full)
	protocol.Local[fcFuel](p)
	protocol.Local[fcTow](p)
	return p
}

// forecast is a client's world with its prediction, in which a test speaks for the server.
type forecast struct {
	t      testing.TB
	world  *ecs.World
	time   *components.Time
	sched  *tick.Schedule
	p      *Prediction
	synced bool

	connected bool          // says whether there is a connection while the clock is not set
	f         entangle.Tick // the confirmed tick
	set       bool          // there is one
	removed   []ecs.Entity
	steps     []string
	onPlan    func(step string) // called for each step of a plan; it may be nil
	first     ecs.Entity

	systems []func()
	movers  ecs.CachedFilter
	names   map[rollback.Slot]string

	place, pace, tint, kit, fuel, heat, child, dock, leash, tow ecs.ID
}

const fcStart = entangle.Tick(1000)

// The stages of the frames in these tests, as in package systems.
const (
	checkRollback tick.Stage = iota
	rollBack
	tickUpdate
	fixedInput
	mainStage
	round
	spawnHistory
	updateHistory
	endOfTick
)

var forecastOrder = tick.Order{
	Names: []string{
		"CheckRollback", "Rollback", "TickUpdate", "FixedInput", "Main", "Round", "SpawnHistory", "UpdateHistory",
	},
	Simulating: tickUpdate, Sending: endOfTick, Showing: endOfTick, FixedInput: fixedInput, Main: mainStage,
}

func newForecast(t testing.TB, with func(*PredictionConfig)) *forecast {
	t.Helper()
	w := ecs.NewWorld()
	f := &forecast{t: t, world: &w, time: &components.Time{Tick: fcStart}, sched: tick.NewSchedule(forecastOrder), synced: true, names: map[rollback.Slot]string{}}
	of, hub := fcProtocol(), event.InstallHub(&w)
	require.NoError(t, registry.Seal(of))
	ecs.AddResource(&w, f.time)
	f.place, f.pace, f.tint = ecs.ComponentID[fcPlace](&w), ecs.ComponentID[fcPace](&w), ecs.ComponentID[fcTint](&w)
	f.heat, f.dock = ecs.ComponentID[fcHeat](&w), ecs.ComponentID[fcDock](&w)
	f.leash, f.tow = ecs.ComponentID[fcLeash](&w), ecs.ComponentID[fcTow](&w)
	f.kit, f.fuel, f.child = ecs.ComponentID[fcKit](&w), ecs.ComponentID[fcFuel](&w), ecs.ComponentID[components.ChildOf](&w)
	cfg := PredictionConfig{
		World: &w, Protocol: of, Hub: hub, Time: f.time, MaxRollback: 16,
		Replayer:        &input.Replayer{Schedule: f.sched, Time: f.time, Hub: hub, Post: message.NewPost(of, false), Inputs: input.NewClientInputs(&w, hub, of)},
		Connected:       func() bool { return f.connected },
		Synced:          func() bool { return f.synced },
		ConfirmedTick:   func() (entangle.Tick, bool) { return f.f, f.set },
		RemoveDespawned: func(e ecs.Entity) { f.removed = append(f.removed, e); w.RemoveEntity(e) },
		OnResync:        func(entangle.Tick) { f.steps = append(f.steps, "resync") },
	}
	if with != nil {
		with(&cfg)
	}
	var err error
	f.p, err = NewPrediction(cfg)
	require.NoError(t, err)
	f.p.trace = f.trace
	f.sched.Bind(tickUpdate, func() { f.time.Tick++ })
	f.sched.Bind(checkRollback, func() {
		f.p.Check()
		for _, step := range f.p.plan {
			if f.onPlan != nil {
				f.onPlan(step.String())
			}
		}
	})
	f.sched.Bind(rollBack, func() { f.p.Rollback() })
	f.sched.Bind(round, func() { f.p.Round() })
	f.sched.Bind(spawnHistory, func() { f.p.FollowChildren() })
	f.sched.Bind(updateHistory, func() { f.p.SaveTick() })
	f.sched.Add(mainStage, step(func(*ecs.World) {
		for _, sys := range f.systems {
			sys()
		}
	}))
	filter := ecs.All(f.place, f.pace)
	f.movers = w.Cache().Register(&filter)
	f.main(f.move)
	f.sched.Initialize(f.world)
	return f
}

// main adds a system of the game.
func (f *forecast) main(sys func()) { f.systems = append(f.systems, sys) }

// move is the game: each entity with a place and a pace moves.
func (f *forecast) move() {
	for q := f.world.Query(&f.movers); q.Next(); {
		place, pace := (*fcPlace)(q.Get(f.place)), (*fcPace)(q.Get(f.pace))
		place.X += pace.X
		place.Y += pace.Y
	}
}

// run runs frames of one tick.
func (f *forecast) run(frames int) {
	for range frames {
		f.sched.Frame(f.world, 1)
	}
}

// check runs a frame without a tick, and returns its rollback and replay.
func (f *forecast) check() []string {
	f.steps = nil
	f.sched.Frame(f.world, 0)
	return f.steps
}

func (f *forecast) trace(kind rollback.StepKind, tick entangle.Tick, slot rollback.Slot) {
	line := fmt.Sprintf("%v %d", kind, tick)
	if kind == rollback.StepInsert {
		line += " " + f.names[slot]
	}
	f.steps = append(f.steps, line)
}

// spawns delivers a confirmed spawn of an entity with a place and a pace, as of a tick.
func (f *forecast) spawns(name string, tick entangle.Tick, place fcPlace, pace fcPace) ecs.Entity {
	e := f.world.NewEntity(append(f.p.Marks(), f.place, f.pace)...)
	*f.at(e), *f.moves(e) = place, pace
	slot := f.p.Track(e)
	f.names[slot] = name
	f.says(e, tick, place, pace)
	return e
}

// says delivers the confirmed state of an entity as of a tick.
func (f *forecast) says(e ecs.Entity, tick entangle.Tick, place fcPlace, pace fcPace) {
	slot := f.p.entities.slotOf(e)
	word := f.p.Store().Confirmed(slot)
	word.Tick, word.Known, word.Mask = tick, true, set.Mask{}
	word.Mask.Set(f.col(f.place))
	word.Mask.Set(f.col(f.pace))
	*(*fcPlace)(unsafe.Pointer(&f.p.Store().ConfirmedValue(slot, f.col(f.place))[0])) = place
	*(*fcPace)(unsafe.Pointer(&f.p.Store().ConfirmedValue(slot, f.col(f.pace))[0])) = pace
	f.p.Confirmed(slot)
}

// despawns delivers a confirmed despawn of an entity as of a tick.
func (f *forecast) despawns(e ecs.Entity, tick entangle.Tick) {
	slot := f.p.entities.slotOf(e)
	word := f.p.Store().Confirmed(slot)
	word.Tick, word.Gone = tick, true
	f.p.Gone(e, slot, tick)
}

// confirmTick sets the confirmed tick.
func (f *forecast) confirmTick(tick entangle.Tick) { f.f, f.set = tick, true }

func (f *forecast) col(id ecs.ID) int {
	for col := range f.p.entities.cols {
		if f.p.entities.cols[col].id == id {
			return col
		}
	}
	panic("no such column")
}

func (f *forecast) at(e ecs.Entity) *fcPlace { return (*fcPlace)(f.world.Get(e, f.place)) }

func (f *forecast) moves(e ecs.Entity) *fcPace { return (*fcPace)(f.world.Get(e, f.pace)) }

func (f *forecast) holds(e ecs.Entity) *fcFuel { return (*fcFuel)(f.world.Get(e, f.fuel)) }

func (f *forecast) carries(e ecs.Entity) *fcKit { return (*fcKit)(f.world.Get(e, f.kit)) }

// step is a system of the game.
type step func(w *ecs.World)

func (s step) Initialize(*ecs.World) {}

func (s step) Update(w *ecs.World) { s(w) }

func (s step) Finalize(*ecs.World) {}
