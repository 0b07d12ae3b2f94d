package plugin

import (
	"fmt"
	"reflect"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/world/apps"
	"github.com/entangle-ecs/entangle/internal/world/source"
)

// Override selects which clients receive component T of single entities, among those that receive
// the entity: for example, all see the number of cards in a hand, and only the player sees the
// cards. A component without recipients is disabled.
//
// It is for the server. An override holds until it is cleared or the entity is removed. It may be
// set before the entity is replicated, and survives pauses.
type Override[T any] struct {
	world     *ecs.World
	collector *source.Collector
	comp      int
}

// NewOverride returns the overrides of component T. It is made in a system's Initialize and kept;
// all of them with the same T share their settings. It panics in a world without a server, and if T
// is not a component that a server sends.
func NewOverride[T any](w *ecs.World) Override[T] {
	t := reflect.TypeFor[T]()
	app := apps.Of(w)
	if app == nil || app.Collector == nil {
		panic(fmt.Sprintf("plugin: NewOverride[%v] in a world without a server; call it from the Initialize of a system "+
			"that was added to the Server, or after that is initialised", t))
	}
	comp, ok := app.Collector.Sent.Component(t)
	if !ok {
		panic(fmt.Sprintf("plugin: NewOverride[%[1]v], which the server does not send; "+
			"register it with protocol.Component[%[1]v](p) before the app is made", t))
	}
	return Override[T]{world: w, collector: app.Collector, comp: comp}
}

// SetTarget sets which clients receive the T of an entity, beginning with the current tick: it is
// removed from the others, and sent with its present value to clients that did not have it. Default
// and Everyone are all clients that receive the entity, Owner and NotOwner depend on its
// ControlledBy, and Nobody disables the component. For a paused entity it takes effect when the
// entity resumes. It panics if the entity is not alive.
func (o *Override[T]) SetTarget(e ecs.Entity, target components.Target) {
	if !o.world.Alive(e) {
		panic(fmt.Sprintf("plugin: SetTarget of %v, which is not alive; ask World.Alive of entities that are kept", e))
	}
	o.collector.Override(e, o.comp, target)
}

// Clear removes the override of an entity: all clients that receive the entity receive its T. It
// does nothing for an entity without one.
func (o *Override[T]) Clear(e ecs.Entity) { o.collector.ClearOverride(e, o.comp) }

// Target returns the override of an entity, and whether it has one.
func (o *Override[T]) Target(e ecs.Entity) (components.Target, bool) {
	return o.collector.Overridden(e, o.comp)
}
