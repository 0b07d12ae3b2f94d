// Package components holds the components with which a game makes its entities replicated, the
// components that Entangle adds for the game's filters, and the resources that systems read.
//
// All of them are plain data without pointers, as every replicated component must be: Arche moves
// components as raw bytes, which loses pointers. Text32 is for short texts in components.
//
//	balls := generic.NewMap2[Position, components.Replicate](w)
//	ball := balls.NewWith(&Position{X: 1}, &components.Replicate{})
//	time := ecs.GetResource[components.Time](w)
//
// The package contains data only; package plugin acts on it.
package components
