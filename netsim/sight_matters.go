package netsim

import (
	"cmp"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/world/apps"
	"github.com/entangle-ecs/entangle/plugin"
)

// mattering answers which entities are relevant to a client, where relevance is decided by
// interest, and which clients are in a room.
type mattering interface {
	matters(client entangle.ClientID, e ecs.Entity, owned bool) bool
	inRoom(room components.Room, client entangle.ClientID) bool
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
		return s.mattering.inRoom(room, client)
	default:
		return s.targets.Contains(target, client)
	}
}

// isOpen reports whether a target includes all clients, present and future.
func (t *terms) isOpen() bool {
	return t.relevance == components.Always && (t.target == components.Default || t.target == components.Everyone ||
		t.target == components.NotOwner && t.owner == entangle.Nobody)
}

// matters returns the source of relevance in the simulation: the script's commands if there are
// any, or else the server.
func (s *Sim) matters() mattering {
	if s.said != nil {
		return s.said
	}
	return asked{s.plugin}
}

// asked answers with the relevance of the server itself.
type asked struct{ *plugin.Server }

func (a asked) matters(client entangle.ClientID, e ecs.Entity, owned bool) bool {
	return apps.Of(a.World()).Publisher.Matters(client, e, owned)
}

func (a asked) inRoom(room components.Room, client entangle.ClientID) bool {
	rooms := plugin.NewRooms(a.World())
	return rooms.HasClient(room, client)
}
