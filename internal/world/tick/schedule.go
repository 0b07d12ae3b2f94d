package tick

import (
	"fmt"

	"github.com/mlange-42/arche/ecs"
)

// System is a game's system, the same three methods as an arche-model system.
type System interface {
	Initialize(w *ecs.World)
	Update(w *ecs.World)
	Finalize(w *ecs.World)
}

// Schedule runs a frame: in every stage of the order what the engine bound to
// it, then the game's systems of that stage in the order in which they were
// added.
//
// Its zero value is ready for use. Wrong use (a nil system, a system added to a
// running schedule, a frame before Initialize) panics with a sentence that says
// what to do.
type Schedule struct {
	own     [stageCount]func(w *ecs.World)
	stages  [stageCount][]System
	systems []System // all of them, in the order of Add
	started int      // how many of systems were initialised
	phase   phase
	strict  *strict // nil: nobody watches
	watch   stopwatch
}

type phase uint8

const (
	collecting phase = iota
	initializing
	running
	finalized
)

// Bind sets the engine's own work of a stage. It runs before the game's systems
// of that stage.
func (s *Schedule) Bind(stage Stage, own func(w *ecs.World)) {
	if s.own[stage] != nil {
		panic(fmt.Sprintf("plugin: stage %v is bound already; a stage has one piece of work of the engine", stage))
	}
	s.own[stage] = own
}

// Add puts a system into a stage. A system may be added until Initialize has
// returned, also from inside another system's Initialize: it is then
// initialised after those that were added before it. Adding one later panics.
func (s *Schedule) Add(stage Stage, sys System) {
	if sys == nil {
		panic("plugin: AddSystem needs a system, got nil")
	}
	if s.phase > initializing {
		panic(fmt.Sprintf("plugin: %T was added to %v after Initialize and would never be initialised; "+
			"add it before the app is initialised, or from a system's Initialize", sys, stage))
	}
	s.stages[stage] = append(s.stages[stage], sys)
	s.systems = append(s.systems, sys)
}

// Has reports whether the game has systems in a stage.
func (s *Schedule) Has(stage Stage) bool { return len(s.stages[stage]) > 0 }

// Initialize initialises all systems in the order of Add, whatever their stage.
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

// Frame runs one frame with the given number of fixed steps.
func (s *Schedule) Frame(w *ecs.World, steps int) {
	s.mustRun()
	s.watch.lap(Outside)
	s.runStages(w, Restore, ClientReplication)
	s.watch.lap(Receiving)
	s.runStages(w, PredictionSpawn, Rollback)
	s.watch.lap(Predicting)
	for range steps {
		s.runStages(w, TickUpdate, IncrementRollbackTick)
	}
	s.watch.lap(Simulating)
	s.runStages(w, Send, Sync)
	s.watch.lap(Sending)
	s.runStages(w, Visual, AfterSend)
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

// runStages runs the stages from first to last, both included.
func (s *Schedule) runStages(w *ecs.World, first, last Stage) {
	for stage := first; stage <= last; stage++ {
		s.run(w, stage)
	}
}

// Replay runs one tick more, out of the frame's turn: all that belongs to a tick, but for
// BufferInputs, for what a player does was written when the tick was due.
func (s *Schedule) Replay(w *ecs.World) {
	for stage := TickUpdate; stage <= IncrementRollbackTick; stage++ {
		if stage != BufferInputs {
			s.run(w, stage)
		}
	}
}

func (s *Schedule) run(w *ecs.World, stage Stage) {
	if own := s.own[stage]; own != nil {
		own(w)
	}
	if stage == Main && s.strict != nil {
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
	mustBeClosed(w, sys, stage)
}

// mustBeClosed panics if a system has left a query open: nothing could come or go in the
// world any more, and whoever finds that out is not to blame.
func mustBeClosed(w *ecs.World, sys System, stage Stage) {
	if w.IsLocked() {
		panic(fmt.Sprintf("plugin: system %s in %v has left a query of the world open; "+
			"iterate it to its end, or Close it before the system returns", nameOf(sys), stage))
	}
}

// Finalize finalises the systems in the reverse order of their Initialize, so
// that a system still finds what those before it have set up. Systems that were
// never initialised are not finalised; a second call does nothing.
func (s *Schedule) Finalize(w *ecs.World) {
	for s.started > 0 {
		s.started--
		s.systems[s.started].Finalize(w)
	}
	s.phase = finalized
}
