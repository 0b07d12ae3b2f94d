package source

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/view"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/internal/world/refs"
	"github.com/mlange-42/arche/ecs"
)

// visibility decides which clients get which entities, and which of their components. A group that
// every client may see, with all components of all entities, is public. Any other group is
// private: it is shown to each client that one of its entities is for, and a view hides the other
// entities. A view also hides the components that an override withholds from some clients. The
// sender does not have the components that an override withholds from all clients.
//
// An entity with conditional relevance is in a private group too. The group is shown to those of
// its clients to which it is relevant.
//
// The clients that predict an entity do not matter for its group: see predictionTargets.
//
// Only changes are evaluated again: an entity's Replicate or ControlledBy, its overrides, the
// members of its group, the connected clients, and the relevance of one entity to one client.
type visibility struct {
	collector *Collector
	Targets   *components.Targets
	Overrides overrides

	// By slot. A paused entity keeps its values.
	Assigned      targetIndex
	Owner         []entangle.ClientID // of its ControlledBy
	group         []*namedGroup       // nil: it belongs in no named group
	relevance     []components.Relevance
	former        formerVisibility
	staleDetached bool // hierarchy.detached is to be evaluated again in this tick

	Predictions    predictionTargets
	Interpolations interpolationTargets
	Prespawns      prespawnTargets

	groups  namedGroups
	Clients []Client
	singles set.Bitset // private groups of one entity
	stale   staleSlots // to be evaluated again in this tick

	hidden      []view.Hidden
	scratch     visibilityScratch
	Refused     refusedGroups
	setsRefused uint64 // number of sets of clients that could not be made, as logged
}

// visibilityScratch is memory that is used again for each group.
type visibilityScratch struct {
	members, beyond []repl.Slot // of privateMembers
	one             [1]repl.Slot
}

func newVisibility(c *Collector, w *ecs.World) visibility {
	v := visibility{
		collector: c, Targets: TargetsOf(w), Overrides: newOverrides(), groups: namedGroups{byName: map[uint64]*namedGroup{}},
		Assigned:    targetIndex{Rooms: refs.NewChains[components.Room]()},
		Predictions: newPredictionTargets(), Interpolations: newInterpolationTargets(c), Prespawns: prespawnTargets{comp: c.Sent.prespawned}, former: formerVisibility{of: map[repl.Slot]formerAncestors{}},
	}
	v.Targets.HeldBy(c.Visibility.heldTargets)
	v.Targets.AskRooms(c.interest.Shares)
	return v
}

// staleSlots are entities to be evaluated again in this tick, each once.
type staleSlots struct {
	slots  []repl.Slot
	marked set.Bitset
}

func (t *staleSlots) markSlot(s repl.Slot) {
	if !t.marked.Has(int(s)) {
		t.marked.Set(int(s))
		t.slots = append(t.slots, s)
	}
}

// clearMarks ends the tick.
func (t *staleSlots) clearMarks() {
	for _, s := range t.slots {
		t.marked.Clear(int(s))
	}
	t.slots = t.slots[:0]
}

// openToAll reports whether all clients, also future ones, may see an entity and all its ancestors.
func (v *visibility) openToAll(s repl.Slot) bool {
	if v.relevance[s] != components.Always || v.Overrides.partial.Has(int(s)) || v.Interpolations.partial.Has(int(s)) || v.Prespawns.partial.Has(int(s)) {
		return false
	}
	for above := true; above; s, above = v.collector.Hierarchy.parentOrPaused(s) {
		if !v.targetOpenToAll(s) || len(v.former.of[s].targets) > 0 || v.collector.Hierarchy.isTooDeep(s) {
			return false
		}
	}
	return true
}

// targetOpenToAll is openToAll for the entity's own target.
func (v *visibility) targetOpenToAll(s repl.Slot) bool {
	switch v.Assigned.targets[s] {
	case components.Default, components.Everyone:
		return true
	case components.NotOwner:
		return v.Owner[s] == entangle.Nobody
	default:
		return false
	}
}

// maySee reports whether a client may see an entity that is not paused. The client must be in
// the target of the entity and of all its ancestors; for a paused or former ancestor the target at
// that time counts.
func (v *visibility) maySee(s repl.Slot, client entangle.ClientID) bool {
	for above := true; above; s, above = v.collector.Hierarchy.parentOrPaused(s) {
		if !v.includes(v.Assigned.targets[s], s, client) || v.collector.Hierarchy.isTooDeep(s) {
			return false
		}
		for _, ancestor := range v.former.of[s].targets {
			if !v.resolvedIncludes(ancestor, client) {
				return false
			}
		}
	}
	return true
}

// Sees reports whether a client may see an entity if it sees its group. A paused entity stays
// visible to the clients that have it, and to no others, so repeated calls return the same answer.
func (v *visibility) Sees(c *Client, s repl.Slot) bool {
	if v.collector.Paused.Has(int(s)) {
		return c.keepsEntity(s)
	}
	return v.maySee(s, c.id)
}

// includes reports whether a target set on an entity includes a client.
func (v *visibility) includes(t components.Target, s repl.Slot, client entangle.ClientID) bool {
	return v.resolvedIncludes(resolvedTarget{t, v.Owner[s]}, client)
}

// resolvedIncludes is includes for a target and the owner to which it may refer.
func (v *visibility) resolvedIncludes(a resolvedTarget, client entangle.ClientID) bool {
	switch a.target {
	case components.Owner:
		return a.owner == client
	case components.NotOwner:
		return a.owner != client
	default:
		return v.Targets.Contains(a.target, client)
	}
}

// placeOf returns the group that an entity belongs in.
func (v *visibility) placeOf(s repl.Slot) group.Place {
	if c := v.group[s]; c != nil {
		return group.Place{Name: uint32(c.name), Hierarchy: uint32(c.name >> 32), Private: c.private}
	}
	return group.Place{Private: !v.openToAll(s)}
}

// growSlots makes room for slots below n.
func (v *visibility) growSlots(n int) {
	for len(v.Assigned.targets) < n {
		v.Assigned.targets = append(v.Assigned.targets, components.Default)
		v.Owner = append(v.Owner, entangle.Nobody)
		v.group = append(v.group, nil)
		v.relevance = append(v.relevance, components.Always)
	}
	v.singles.Grow(n)
	v.stale.marked.Grow(n)
	v.Overrides.overridden.Grow(n)
	v.Overrides.partial.Grow(n)
	v.Interpolations.sent.Grow(n)
	v.Interpolations.partial.Grow(n)
	v.Prespawns.partial.Grow(n)
}

// markStale marks an entity stale: its visibility is evaluated again in this tick.
func (v *visibility) markStale(s repl.Slot) {
	v.stale.markSlot(s)
	v.markGroupStale(s)
}

// markGroupStale marks the named group of an entity stale.
func (v *visibility) markGroupStale(s repl.Slot) {
	if c := v.group[s]; c != nil {
		v.groups.markStale(c)
	}
}
