package oracle

import (
	"cmp"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
)

// terms are the properties of an entity that decide its visibility. A paused entity keeps them.
type terms struct {
	target       components.Target
	owner        entangle.ClientID
	relevance    components.Relevance
	parent       ecs.Entity // the parent in the same group, zero for none
	pausedParent ecs.Entity // its parent, if the parent is paused and the entity is not
	group        group
	private      bool // its group is private
}

// termsOf returns the terms of an entity that is not paused, without private.
func (v *visibility) termsOf(e ecs.Entity) terms {
	t := terms{group: v.groupOf(e), relevance: v.relevanceOf(e)}
	if m := v.replicateOf(e); m != nil {
		t.target = m.Target
	}
	if v.world.Has(e, v.controlled) {
		t.owner = (*components.ControlledBy)(v.world.Get(e, v.controlled)).Client
	}
	if parent, ok := v.parentOf(e); ok {
		t.parent = parent
	}
	return t
}

// relevanceOf returns the Relevance of an entity's Replicate. If that is Always, it returns the one
// of the nearest ancestor with another value.
func (v *visibility) relevanceOf(e ecs.Entity) (r components.Relevance) {
	for ok := true; ok; e, ok = v.parentOf(e) {
		if m := v.replicateOf(e); m != nil {
			r = cmp.Or(r, m.Relevance)
		}
	}
	return r
}

// includes reports whether a client is in a target. Owner and NotOwner refer to the owner in the
// terms.
func (v *visibility) includes(t *terms, target components.Target, client entangle.ClientID) bool {
	room, isRoom := target.Room()
	switch {
	case target == components.Owner:
		return client != entangle.Nobody && t.owner == client
	case target == components.NotOwner:
		return t.owner != client
	case isRoom:
		return v.relevant.InRoom(room, client)
	default:
		return v.targets.Contains(target, client)
	}
}

// isPublic reports whether a target includes all clients, present and future.
func (t *terms) isPublic() bool {
	return t.relevance == components.Always && (t.target == components.Default || t.target == components.Everyone ||
		t.target == components.NotOwner && t.owner == entangle.Nobody)
}
