package components

import (
	"time"

	"github.com/entangle-ecs/entangle"
)

// Time is a resource: the time of the simulation. The plugin writes it, systems read it. Multiply
// movement by Step, never by the time between frames.
type Time struct {
	// Tick is the tick that is being computed, for systems in FixedInput and FixedMain, and
	// the last finished one for all others. Ticks wrap after 2^32.
	//
	// On a server and a host, Tick increases by one in each tick. A client's ticks are ahead of the
	// server's, so that its inputs arrive in time: its Tick is set once after connecting, and after
	// a stall of either side, between two frames and in either direction. plugin.ClockJumped
	// reports that.
	Tick entangle.Tick
	// Step is the length of a tick.
	Step time.Duration
	// Overstep is how far the clock is past Tick, as a fraction of a step: at least 0, below
	// 1. Smooth drawing extrapolates by it. On a client the clock is steered, so it grows a
	// few percent faster or slower than real time.
	Overstep float64

	// Replaying is true while the tick is computed again, because its prediction was wrong.
	// ReplayFrom is the first tick of the replay, and ReplayTo the last. A system that is not part
	// of the simulation, such as one for sounds or particles, should do nothing during a replay.
	Replaying            bool
	ReplayFrom, ReplayTo entangle.Tick
}
