package protocol

import (
	"github.com/entangle-ecs/entangle/internal/wire/blend"
)

// Lerp returns a value between a and b: a at t = 0, b at t = 1. It is called while values are written, so it
// must depend on its arguments alone, and neither read nor change the world, nor call a plugin.Samples.
type Lerp[T any] func(a, b T, t float64) T

// Step does not blend: it returns a until t reaches 1. A component with it has each value from its time on.
func Step[T any](a, b T, t float64) T {
	if t >= 1 {
		return b
	}
	return a
}

// Linear blends field by field: floats linearly, fields tagged as angles the short way around,
// fields tagged as quats along the shorter arc. All other fields, such as integers, flags and
// entities, have the value of a until t reaches 1, because a number in between may mean something
// else. Outside 0 to 1, t counts as the nearer end.
//
// On a client's screen an update that comes too late has these fields at once, while the others move to it.
//
// Interpolate(protocol.Linear) recognises the function and compiles it once for T. A direct call
// compiles it each time, which is slow, and panics if a tag of T is invalid.
func Linear[T any](a, b T, t float64) T {
	return blend.Linear(a, b, t)
}
