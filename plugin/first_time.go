package plugin

import (
	"fmt"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/world/event"
)

// FirstTime returns a system that runs sys, except in replays: for sounds and particles, for scores
// on the screen, and for requests to the server.
//
// It runs with the first prediction of each tick, and learns nothing of later corrections: a shot
// for which it played a sound may turn out not to have happened, and it does not run for a shot that
// only a replay shows. State that must be right in the end belongs into components: a replay corrects
// them, and the game draws from them.
//
// Jumps of the client's clock are exceptions. If the clock jumps ahead, such as after a stall, a
// client that predicts something runs the skipped ticks for the first time before its next tick, up
// to ClientConfig.MaxRollback of them. Of a longer gap, sys misses ticks, even if a later replay
// runs them. If the clock jumps back, ticks run again as new ones, and sys with them. ClockJumped
// reports each jump.
func FirstTime(sys System) System {
	if sys == nil {
		panic("plugin: FirstTime needs a system, got nil")
	}
	return &firstTime{System: sys}
}

type firstTime struct {
	System
	time *components.Time
}

// Initialize implements System.
func (f *firstTime) Initialize(w *ecs.World) {
	if event.HubOf(w) == nil {
		panic(fmt.Sprintf("plugin: FirstTime of %T in a world without an Entangle app; add it to the Server, Client or Host", f.System))
	}
	f.time = ecs.GetResource[components.Time](w)
	f.System.Initialize(w)
}

// Update implements System.
func (f *firstTime) Update(w *ecs.World) {
	if !f.time.Replaying {
		f.System.Update(w)
	}
}

// String names the wrapped system.
func (f *firstTime) String() string {
	if s, ok := f.System.(fmt.Stringer); ok {
		return "FirstTime of " + s.String()
	}
	return fmt.Sprintf("FirstTime of %T", f.System)
}
