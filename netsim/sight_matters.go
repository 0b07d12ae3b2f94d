package netsim

import (
	"cmp"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
)

// mattering answers which entities are relevant to a client, where relevance is decided by
// interest, and which clients are in a room.
type mattering interface {
	Matters(client entangle.ClientID, e ecs.Entity, owned bool) bool
	InRoom(room components.Room, client entangle.ClientID) bool
}

// terms are the properties of an entity that decide its visibility. A paused entity keeps them.
type terms struct {
	target    components.Target
	owner     entangle.ClientID
	relevance components.Relevance
	parent    ecs.Entity // the parent in the same group, zero for none
	behind    ecs.Entity // its parent, if the parent is paused and the entity is not
	group     group
	private   bool // its group is private
}

// terms returns the terms of an entity that is not paused, without private.
func (s *sight) terms(e ecs.Entity) terms {
	t := terms{group: s.group(e), relevance: s.relevance(e)}
	if m := s.marker(e); m != nil {
		t.target = m.Target
	}
	if s.world.Has(e, s.controlled) {
		t.owner = (*components.ControlledBy)(s.world.Get(e, s.controlled)).Client
	}
	if parent, ok := s.above(e); ok {
		t.parent = parent
	}
	return t
}

// relevance returns the Relevance of an entity's Replicate. If that is Always, it returns the one
// of the nearest ancestor with another value.
func (s *sight) relevance(e ecs.Entity) (r components.Relevance) {
	for ok := true; ok; e, ok = s.above(e) {
		if m := s.marker(e); m != nil {
			r = cmp.Or(r, m.Relevance)
		}
	}
	return r
}

// includes reports whether a client is in a target. Owner and NotOwner refer to the owner in the
// terms.
func (s *sight) includes(t *terms, target components.Target, client entangle.ClientID) bool {
	room, isRoom := target.Room()
	switch {
	case target == components.Owner:
		return client != entangle.Nobody && t.owner == client
	case target == components.NotOwner:
		return t.owner != client
	case isRoom:
		return s.mattering.InRoom(room, client)
	default:
		return s.targets.Contains(target, client)
	}
}

// isOpen reports whether a target includes all clients, present and future.
func (t *terms) isOpen() bool {
	return t.relevance == components.Always && (t.target == components.Default || t.target == components.Everyone ||
		t.target == components.NotOwner && t.owner == entangle.Nobody)
}
