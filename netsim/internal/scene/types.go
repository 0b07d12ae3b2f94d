package scene

import (
	"reflect"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
)

// Type is a type of resource or override. Scripts need more than its name. See Game.Use.
type Type struct {
	t         reflect.Type
	component bool

	replicate func(*ecs.World, components.Target)
	stop      func(*ecs.World)
	override  func(*ecs.World, ecs.Entity, components.Target)
	clear     func(*ecs.World, ecs.Entity)
}

// Resource returns the Type of a resource that is registered in the protocol.
func Resource[T any]() *Type {
	return &Type{t: reflect.TypeFor[T](), replicate: plugin.ReplicateResource[T], stop: plugin.StopResource[T]}
}

// Overridden returns the Type of a component for which scripts may override the target on
// individual entities.
func Overridden[T any]() *Type {
	of := func(w *ecs.World) *plugin.Override[T] {
		o := plugin.NewOverride[T](w)
		return &o
	}
	return &Type{
		t: reflect.TypeFor[T](), component: true,
		override: func(w *ecs.World, e ecs.Entity, target components.Target) { of(w).SetTarget(e, target) },
		clear:    func(w *ecs.World, e ecs.Entity) { of(w).Clear(e) },
	}
}

// registerIn registers a type for scripts.
func (t *Type) registerIn(c *commands) {
	if t.component {
		c.overrides[t.t.Name()] = t
	} else {
		c.resources[t.t.Name()] = t
	}
}
