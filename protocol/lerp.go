package protocol

import (
	"github.com/entangle-ecs/entangle/internal/wire/blend"
)

// Lerp returns a value between a and b: a at t = 0, b at t = 1.
type Lerp[T any] func(a, b T, t float64) T

// Linear blends field by field: floats linearly, fields tagged as angles the short way around,
// fields tagged as quats along the shorter arc. All other fields, such as integers, flags and
// entities, have the value of a until t reaches 1, because a number in between may mean something
// else. Outside 0 to 1, t counts as the nearer end.
//
// Interpolate(protocol.Linear) recognises the function and compiles it once for T. A direct call
// compiles it each time, which is slow, and panics if a tag of T is invalid.
func Linear[T any](a, b T, t float64) T {
	return blend.Linear(a, b, t)
}
