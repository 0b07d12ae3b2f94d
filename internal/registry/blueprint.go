package registry

import (
	"reflect"

	"github.com/entangle-ecs/entangle"
	"github.com/mlange-42/arche/ecs"
)

// Blueprint is a component from which the rest of an entity is assembled.
type Blueprint struct {
	Type  reflect.Type   // of the component
	Mark  reflect.Type   // the component of entities that are assembled; it is one of Registry.Locals
	Parts []reflect.Type // the components that are assembled

	// New returns the functions of the blueprint for a world.
	New func(w *ecs.World) BlueprintFuncs
}

// BlueprintFuncs are the functions of a blueprint for one world. The memory of a blueprint is that of
// its component, or a copy.
type BlueprintFuncs interface {
	// Tick returns the tick of a blueprint, and SetTick sets it.
	Tick(blueprint []byte) entangle.Tick
	SetTick(blueprint []byte, t entangle.Tick)
	// Assemble computes the parts of an entity. They are kept until the next call.
	Assemble(e ecs.Entity, blueprint []byte)
	// PutPart writes a part, by its index, into the memory of an entity's component.
	PutPart(i int, e ecs.Entity)
	// Refresh brings a blueprint up to date. It is called only if Component.Refreshed is set.
	Refresh(e ecs.Entity, blueprint []byte)
}
