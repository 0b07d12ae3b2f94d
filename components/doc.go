// Package components holds what a game puts on its entities to have them
// replicated, what Entangle puts there for the game's filters, and the resources
// that systems read.
//
// All of it is plain data without pointers, as every component must be that is
// replicated: Arche moves components as raw bytes, which loses pointers. Where a
// component needs a short text there is Text32.
//
//	balls := generic.NewMap2[Position, components.Replicate](w)
//	ball := balls.NewWith(&Position{X: 1}, &components.Replicate{})
//	time := ecs.GetResource[components.Time](w)
//
// Nothing here does anything by itself; package plugin acts on it.
package components
