package netsim

import (
	"cmp"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
)

// mattering says what matters to whom, where interest decides about that, and who is in
// a room.
type mattering interface {
	matters(client entangle.ClientID, e ecs.Entity, owned bool) bool
	inRoom(room components.Room, client entangle.ClientID) bool
}

// terms is what counts of an entity for who sees it. One that is paused keeps them.
type terms struct {
	target    components.Target
	owner     entangle.ClientID
	relevance components.Relevance
	parent    ecs.Entity // that it goes with, zero for none
	behind    ecs.Entity // its parent, while that is paused and it is not
	group     group
	private   bool // some may not see all of its group
}

// terms returns those of an entity that is not paused, but for whether it is private.
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

// relevance returns what its Replicate says, or where that is Always, what that of the
// nearest above it does.
func (s *sight) relevance(e ecs.Entity) (r components.Relevance) {
	for ok := true; ok; e, ok = s.above(e) {
		if m := s.marker(e); m != nil {
			r = cmp.Or(r, m.Relevance)
		}
	}
	return r
}

// includes reports whether a client is in a target that stands for something of an entity
// with these terms.
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

// isOpen reports whether a target leaves out nobody, whoever may come.
func (t *terms) isOpen() bool {
	return t.relevance == components.Always && (t.target == components.Default || t.target == components.Everyone ||
		t.target == components.NotOwner && t.owner == entangle.Nobody)
}

// matters says what matters to whom in the simulation: what a script said, or else what the
// game did.
func (s *Sim) matters() mattering {
	if s.said != nil {
		return s.said
	}
	return asked{s.plugin}
}

// asked is what the server itself says.
type asked struct{ *plugin.Server }

func (a asked) matters(client entangle.ClientID, e ecs.Entity, owned bool) bool {
	return a.Matters(client, e, owned)
}

func (a asked) inRoom(room components.Room, client entangle.ClientID) bool {
	rooms := plugin.NewRooms(a.World())
	return rooms.HasClient(room, client)
}
