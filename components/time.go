package components

import (
	"time"

	"github.com/entangle-ecs/entangle"
)

// Time is a resource: the time of the simulation. The plugin writes it, systems
// read it. Movement is multiplied by Step, never by the time between frames.
type Time struct {
	// Tick is the tick that is being computed by the systems in BufferInputs and
	// FixedMain, and the last finished one everywhere else. Ticks wrap after 2^32.
	//
	// A server counts every tick, by one, and so does a host. A client's ticks are ahead
	// of the server's, so that its inputs arrive before their tick runs there: its Tick is
	// set once after connecting, and after a stall of either side, between two frames and
	// in either direction. plugin.ClockJumped tells.
	Tick entangle.Tick
	// Step is the length of a tick.
	Step time.Duration
	// Overstep is how far the clock is past Tick, as a fraction of a step: at
	// least 0, below 1. Drawing that is to look smooth goes that far on. On a client the
	// clock is steered, so it grows a few percent faster or slower than real time.
	Overstep float64

	// Replaying: the tick was computed before, and is computed anew since what was predicted
	// then was found wrong. ReplayFrom is the first tick of such a replay, and ReplayTo the
	// last. A system that is not part of the simulation, for sounds or particles, does
	// nothing then.
	Replaying            bool
	ReplayFrom, ReplayTo entangle.Tick
}
