package endpoint

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/mlange-42/arche/ecs"
)

// Wards is the entities that clients control, replicated or not. It looks through
// those of the world that have components.ControlledBy only when it is asked.
type Wards struct {
	world   *ecs.World
	control ecs.ID

	left    []entangle.ClientID // clients that are gone, and whose entities are still there
	orphans []ward              // what those had when they went
	doomed  []ecs.Entity        // scratch
}

type ward struct {
	entity ecs.Entity
	client entangle.ClientID
}

// NewWards returns those of w.
func NewWards(w *ecs.World) *Wards {
	return &Wards{world: w, control: ecs.ComponentID[components.ControlledBy](w)}
}

// Of appends the entities that a client controls.
func (a *Wards) Of(client entangle.ClientID, dst []ecs.Entity) []ecs.Entity {
	controlled := ecs.All(a.control)
	for query := a.world.Query(&controlled); query.Next(); {
		if (*components.ControlledBy)(query.Get(a.control)).Client == client {
			dst = append(dst, query.Entity())
		}
	}
	return dst
}

// Leave takes note that a client is gone.
func (a *Wards) Leave(client entangle.ClientID) {
	if !slices.Contains(a.left, client) {
		a.left = append(a.left, client)
	}
	a.doomed = a.Of(client, a.doomed[:0])
	for _, e := range a.doomed {
		a.orphans = append(a.orphans, ward{e, client})
	}
}

// Clear removes the entities of clients that are gone from the world, but for those
// that are to be kept or have another owner by now. Of a client that is connected
// again, those that it had before count.
func (a *Wards) Clear(connected func(entangle.ClientID) bool) {
	a.doomed = a.doomed[:0]
	for _, w := range a.orphans {
		if connected(w.client) && a.is(w) {
			a.doomed = append(a.doomed, w.entity)
		}
	}
	for _, client := range a.left {
		if !connected(client) {
			a.doomed = a.Of(client, a.doomed)
		}
	}
	for _, e := range a.doomed {
		if a.world.Alive(e) && !a.kept(e) { // one that left twice had some of it twice
			a.world.RemoveEntity(e)
		}
	}
	a.left, a.orphans = a.left[:0], a.orphans[:0]
}

// is reports whether a client still controls what it had.
func (a *Wards) is(w ward) bool {
	if !a.world.Alive(w.entity) || !a.world.Has(w.entity, a.control) {
		return false
	}
	return (*components.ControlledBy)(a.world.Get(w.entity, a.control)).Client == w.client
}

// kept reports whether an entity that a client controls is to outlive the connection. A listener
// of the game may say so until it is removed, and not take the component off: the world is locked.
func (a *Wards) kept(e ecs.Entity) bool {
	return (*components.ControlledBy)(a.world.Get(e, a.control)).Keep
}
