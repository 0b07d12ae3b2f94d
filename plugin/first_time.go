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
// It runs once for each tick of FixedMain, with the first prediction of that tick. A replay does
// not tell it about corrections: neither that a shot it played a sound for never happened, nor
// about a shot that it missed. State that must be right in the end belongs into components, which a
// replay corrects, and is drawn from those.
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
