package plugin

import (
	"fmt"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/systems"
)

// System is a system of a game. Its methods are those of an arche-model system,
// so one type serves both.
//
// Initialize is called once before the first Update, Update once per frame or
// once per tick (see Set), Finalize once at the end, in the reverse order of
// Initialize.
type System interface {
	Initialize(w *ecs.World)
	Update(w *ecs.World)
	Finalize(w *ecs.World)
}

// App is a Server, a Client or a Host. It is itself a System, so an arche-model app, Run, or the
// game's own loop can call it; its Update is one frame.
type App interface {
	System

	// AddSystem puts a system into a set. Systems of one set run in the order in
	// which they were added. Add them before the app is initialised, or from
	// another system's Initialize; adding one later panics.
	AddSystem(set Set, sys System)

	// World returns the world that the app was initialised with, nil before.
	World() *ecs.World
}

// Set is a place in the order of a frame, at which systems run.
//
// The sets of one frame run in the order of their constants. FixedInput and FixedMain run once per
// tick: several times in a frame, or not at all.
type Set uint8

// The sets that systems can be added to.
const (
	// AfterReceive runs once per frame, after all datagrams were read and applied: the events and
	// messages of this frame can be read, and no tick has run yet.
	AfterReceive Set = iota

	// FixedInput runs once per tick, before FixedMain: here a client writes the input of its player.
	// A replay of ticks leaves it out.
	FixedInput

	// FixedMain runs once per tick: the game's simulation.
	FixedMain

	// BeforeSend runs once per frame after the last tick, before the world is compared for changes:
	// here a game decides about visibility.
	BeforeSend

	// AfterSend runs once per frame at its very end, after the last datagram was sent: here a game
	// draws or records the result of the frame. Changes made here are sent with the next frame.
	AfterSend

	setCount
)

// stages maps each set to its stage of the frame.
var stages = [setCount]systems.Stage{
	AfterReceive: systems.AfterReceive,
	FixedInput:   systems.FixedInput,
	FixedMain:    systems.Main,
	BeforeSend:   systems.BeforeSend,
	AfterSend:    systems.AfterSend,
}

// stage returns the stage of the frame in which the set runs. It panics for an invalid set.
func (s Set) stage() systems.Stage {
	if s >= setCount {
		panic(fmt.Sprintf("plugin: %v is no set of systems; use AfterReceive, FixedInput, FixedMain, BeforeSend or AfterSend", s))
	}
	return stages[s]
}

// String returns the set's name.
func (s Set) String() string {
	if s >= setCount {
		return fmt.Sprintf("Set(%d)", uint8(s))
	}
	return stages[s].String()
}
