package event

import (
	"github.com/entangle-ecs/entangle"
	"github.com/mlange-42/arche/ecs"
)

// Correction is one value of the present tick that a rollback has changed.
type Correction struct {
	Entity ecs.Entity
	Tick   entangle.Tick // both values are those at its end
	// Before and After are the memory of the two values. They are valid during the call.
	Before, After []byte
}
