package tick

import (
	"fmt"
	"time"

	"github.com/mlange-42/arche/ecs"
)

// System is a game's system, the same three methods as an arche-model system.
type System interface {
	Initialize(w *ecs.World)
	Update(w *ecs.World)
	Finalize(w *ecs.World)
}

// Schedule runs a frame. In every stage of the order it runs the engine's work that is bound to the
// stage, then the game's systems of that stage in the order in which they were added.
//
// Wrong use (a nil system, a system added to a running schedule, a frame before Initialize) panics
// with a message that names the remedy.
type Schedule struct {
	order   Order
	own     []func()   // by stage; nil: the engine does nothing there
	stages  [][]System // by stage
	systems []System   // all systems, in the order of Add
	started int        // number of initialised systems
	phase   phase
	strict  *strict // nil: strict mode is off
	watch   stopwatch
}

// NewSchedule returns a schedule without systems that runs frames of an order.
func NewSchedule(order Order) *Schedule {
	n := len(order.Names)
	s := &Schedule{order: order, own: make([]func(), n), stages: make([][]System, n)}
	s.watch.systems = make([][]time.Duration, n)
	return s
}

type phase uint8

const (
	collecting phase = iota
	initializing
	running
	finalized
)

// Bind sets the engine's own work of a stage. It runs before the game's systems of that stage.
func (s *Schedule) Bind(stage Stage, own func()) {
	if s.own[stage] != nil {
		panic(fmt.Sprintf("plugin: stage %s is bound already; a stage has one piece of work of the engine", s.order.Names[stage]))
	}
	s.own[stage] = own
}

// Add puts a system into a stage. A system may be added until Initialize has returned, also from
// another system's Initialize: it is then initialised after those added before it. Adding one later
// panics.
func (s *Schedule) Add(stage Stage, sys System) {
	if sys == nil {
		panic("plugin: AddSystem needs a system, got nil")
	}
	if s.phase > initializing {
		panic(fmt.Sprintf("plugin: %T was added to %s after Initialize and would never be initialised; "+
			"add it before the app is initialised, or from a system's Initialize", sys, s.order.Names[stage]))
	}
	s.stages[stage] = append(s.stages[stage], sys)
	s.systems = append(s.systems, sys)
}

// Has reports whether the game has systems in a stage.
func (s *Schedule) Has(stage Stage) bool { return len(s.stages[stage]) > 0 }

// Initialize initialises all systems in the order of Add, regardless of their stages.
func (s *Schedule) Initialize(w *ecs.World) {
	if s.phase != collecting {
		panic("plugin: Initialize was called twice; an app belongs to one world and is initialised once: make a new app")
	}
	s.phase = initializing
	for s.started < len(s.systems) {
		sys := s.systems[s.started]
		s.started++
		sys.Initialize(w)
	}
	s.makeRoom()
	s.phase = running
}

// Initialized reports whether Initialize has returned.
func (s *Schedule) Initialized() bool { return s.phase >= running }

// Finalized reports whether Finalize was called.
func (s *Schedule) Finalized() bool { return s.phase == finalized }

// Frame runs one frame with the given number of ticks.
func (s *Schedule) Frame(w *ecs.World, ticks int) {
	s.mustRun()
	s.watch.lap(Outside)
	s.runStages(w, 0, s.order.Predicting)
	s.watch.lap(Receiving)
	s.runStages(w, s.order.Predicting, s.order.Simulating)
	s.watch.lap(Predicting)
	for range ticks {
		s.runStages(w, s.order.Simulating, s.order.Sending)
	}
	s.watch.lap(Simulating)
	s.runStages(w, s.order.Sending, s.order.Showing)
	s.watch.lap(Sending)
	s.runStages(w, s.order.Showing, s.order.stageCount())
	s.watch.lap(Showing)
}

func (s *Schedule) mustRun() {
	switch s.phase {
	case running:
	case finalized:
		panic("plugin: Update after Finalize; make a new app for a new run")
	default:
		panic("plugin: Update before Initialize; call Initialize(world) first, " +
			"and do not update the app from inside a system's Initialize")
	}
}

// runStages runs the stages from first up to end, which is not included.
func (s *Schedule) runStages(w *ecs.World, first, end Stage) {
	for stage := first; stage < end; stage++ {
		s.runStage(w, stage)
	}
}

// Replay runs one tick outside of a frame: all stages of a tick except FixedInput, because
// players write their input when a tick runs for the first time and not when it is replayed.
func (s *Schedule) Replay(w *ecs.World) {
	for stage := s.order.Simulating; stage < s.order.Sending; stage++ {
		if stage != s.order.FixedInput {
			s.runStage(w, stage)
		}
	}
}

func (s *Schedule) runStage(w *ecs.World, stage Stage) {
	if own := s.own[stage]; own != nil {
		own()
	}
	if stage == s.order.Main && s.strict != nil {
		s.runStrict(w)
		return
	}
	for i := range s.stages[stage] {
		s.update(w, stage, i)
	}
}

// update runs one system of a stage.
func (s *Schedule) update(w *ecs.World, stage Stage, i int) {
	sys := s.stages[stage][i]
	if !s.watch.perSystem {
		sys.Update(w)
	} else {
		before := s.watch.clock()
		sys.Update(w)
		s.watch.systems[stage][i] += max(s.watch.clock().Sub(before), 0)
	}
	s.mustBeClosed(w, sys, stage)
}

// mustBeClosed panics if a system has left a query open. The world would stay locked, and the panic
// would come from the next system that spawns an entity.
func (s *Schedule) mustBeClosed(w *ecs.World, sys System, stage Stage) {
	if w.IsLocked() {
		panic(fmt.Sprintf("plugin: system %s in %s has left a query of the world open; "+
			"iterate it to its end, or Close it before the system returns", nameOf(sys), s.order.Names[stage]))
	}
}

// Finalize finalises the systems in the reverse order of their Initialize, so that a system can
// still use data that earlier systems have set up. Systems that were never initialised are not
// finalised; a second call does nothing.
func (s *Schedule) Finalize(w *ecs.World) {
	for s.started > 0 {
		s.started--
		s.systems[s.started].Finalize(w)
	}
	s.phase = finalized
}
