package endpoint

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/mlange-42/arche/ecs"
)

// OwnedEntities finds the entities that clients control, whether they are replicated or not, and
// removes those of disconnected clients. It keeps no list while all clients are connected: it
// searches the world for components.ControlledBy.
type OwnedEntities struct {
	world   *ecs.World
	control ecs.ID

	disconnected []entangle.ClientID // since the last Clear
	orphans      []ownedEntity       // the owned entities of those clients at the disconnect
	removed      []ecs.Entity        // scratch
}

type ownedEntity struct {
	entity ecs.Entity
	client entangle.ClientID
}

// NewOwnedEntities returns the owned entities of w.
func NewOwnedEntities(w *ecs.World) *OwnedEntities {
	return &OwnedEntities{world: w, control: ecs.ComponentID[components.ControlledBy](w)}
}

// Of appends the entities that a client controls.
func (o *OwnedEntities) Of(client entangle.ClientID, dst []ecs.Entity) []ecs.Entity {
	controlled := ecs.All(o.control)
	for query := o.world.Query(&controlled); query.Next(); {
		if (*components.ControlledBy)(query.Get(o.control)).Client == client {
			dst = append(dst, query.Entity())
		}
	}
	return dst
}

// Leave records that a client has disconnected.
func (o *OwnedEntities) Leave(client entangle.ClientID) {
	if !slices.Contains(o.disconnected, client) {
		o.disconnected = append(o.disconnected, client)
	}
	o.removed = o.Of(client, o.removed[:0])
	for _, e := range o.removed {
		o.orphans = append(o.orphans, ownedEntity{e, client})
	}
}

// Clear removes the entities of disconnected clients from the world, except those that must be kept
// or have another owner since. If a client has connected again in the meantime, only its entities
// from before the disconnect are removed.
func (o *OwnedEntities) Clear(connected func(entangle.ClientID) bool) {
	o.removed = o.removed[:0]
	for _, owned := range o.orphans {
		if connected(owned.client) && o.isOwned(owned) {
			o.removed = append(o.removed, owned.entity)
		}
	}
	for _, client := range o.disconnected {
		if !connected(client) {
			o.removed = o.Of(client, o.removed)
		}
	}
	for _, e := range o.removed {
		if o.world.Alive(e) && !o.isKept(e) { // a client that left twice may have listed an entity twice
			o.world.RemoveEntity(e)
		}
	}
	o.disconnected, o.orphans = o.disconnected[:0], o.orphans[:0]
}

// isOwned reports whether a client still controls an entity that it controlled before.
func (o *OwnedEntities) isOwned(owned ownedEntity) bool {
	if !o.world.Alive(owned.entity) || !o.world.Has(owned.entity, o.control) {
		return false
	}
	return (*components.ControlledBy)(o.world.Get(owned.entity, o.control)).Client == owned.client
}

// isKept reports whether an owned entity stays when its client disconnects. A listener of the
// game may set that until the entity is removed; it cannot take the component off instead,
// because the world is locked then.
func (o *OwnedEntities) isKept(e ecs.Entity) bool {
	return (*components.ControlledBy)(o.world.Get(e, o.control)).Keep
}
