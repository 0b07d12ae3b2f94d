package event

import (
	"github.com/entangle-ecs/entangle"
	"github.com/mlange-42/arche/ecs"
)

// Correction is one value of the present that was predicted otherwise.
type Correction struct {
	Entity ecs.Entity
	Column int           // number of the component
	Tick   entangle.Tick // whose end both values are of
	// Before and After are the memory of the two values, valid during the call.
	Before, After []byte
}
