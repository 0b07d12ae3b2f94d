package registry

import (
	"reflect"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/internal/wire"
)

// Intent says which inputs fire an entity with a blueprint.
type Intent struct {
	Input     reflect.Type
	Blueprint reflect.Type

	// New returns the functions of the intent for a world.
	New func(w *ecs.World) IntentFuncs
}

// Name returns the names of the input and of the blueprint.
func (i *Intent) Name() string { return wire.TypeName(i.Input) + " of " + wire.TypeName(i.Blueprint) }

// IntentFuncs are the functions of an intent for one world. Values are the memory of components.
type IntentFuncs interface {
	// Fire returns the blueprint of the entity that an input of a shooter fires, or false. The blueprint
	// is valid until the next call.
	Fire(shooter ecs.Entity, input []byte) (blueprint []byte, ok bool)
	// Accept reports whether a server spawns the entity.
	Accept(shooter ecs.Entity, blueprint []byte) bool
	// PutReplicate writes the components.Replicate of the entity.
	PutReplicate(to []byte)
}
