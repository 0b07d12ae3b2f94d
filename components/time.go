package components

import (
	"time"

	"github.com/entangle-ecs/entangle"
)

// Time is a resource: the time of the simulation. The plugin writes it, systems
// read it. Movement is multiplied by Step, never by the time between frames.
type Time struct {
	// Tick is the tick that is being computed by the systems in BufferInputs and
	// FixedMain, and the last finished one everywhere else.
	Tick entangle.Tick
	// Step is the length of a tick.
	Step time.Duration
	// Overstep is how far the clock is past Tick, as a fraction of a step: at
	// least 0, below 1. Drawing that is to look smooth goes that far on.
	Overstep float64
}
