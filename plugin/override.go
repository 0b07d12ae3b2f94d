package plugin

import (
	"fmt"
	"reflect"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/world/source"
)

// Override says which clients get component T of single entities, of those who get
// the entity: the number of cards in a hand for all, the cards for the player alone.
// A component that nobody gets is disabled.
//
// It is for the server. What is said of an entity holds until it is taken back or the
// entity is gone, also from before it is replicated, and through pauses.
type Override[T any] struct {
	world     *ecs.World
	publisher *source.Publisher
	comp      int
}

// NewOverride returns what says who gets component T. It is made in a system's
// Initialize and kept; all that are made for one T are the same. It panics in a world
// without a server, and if T is no component that a server sends.
func NewOverride[T any](w *ecs.World) Override[T] {
	t := reflect.TypeFor[T]()
	d, ok := w.Resources().Get(ecs.ResourceID[door](w)).(*door)
	if !ok || d.publisher == nil {
		panic(fmt.Sprintf("plugin: NewOverride[%v] in a world without a server; call it from the Initialize of a system "+
			"that was added to the Server, or after that is initialised", t))
	}
	comp, ok := d.publisher.Component(t)
	if !ok {
		panic(fmt.Sprintf("plugin: NewOverride[%[1]v], which the server does not send; "+
			"register it with protocol.Component[%[1]v](p) before the app is made, in a Direction from the server", t))
	}
	return Override[T]{world: w, publisher: d.publisher, comp: comp}
}

// SetTarget says who gets the T of an entity, beginning with the tick under way: from
// others it is removed, and to those who did not have it, it is sent as it is now.
// Default and Everyone are all who get the entity, Owner and NotOwner go by its
// ControlledBy, and Nobody disables it. Of what is paused it counts when that goes on.
// It panics if the entity is not alive.
func (o *Override[T]) SetTarget(e ecs.Entity, target components.Target) {
	if !o.world.Alive(e) {
		panic(fmt.Sprintf("plugin: SetTarget of %v, which is not alive; ask World.Alive of entities that are kept", e))
	}
	o.publisher.Override(e, o.comp, target)
}

// Clear takes back what SetTarget said of an entity: who gets it gets its T. It does
// nothing for others.
func (o *Override[T]) Clear(e ecs.Entity) { o.publisher.ClearOverride(e, o.comp) }

// Target returns what SetTarget said of an entity, and whether it said anything.
func (o *Override[T]) Target(e ecs.Entity) (components.Target, bool) {
	return o.publisher.Overridden(e, o.comp)
}
