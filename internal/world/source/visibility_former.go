package source

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/mlange-42/arche/ecs"
)

// resolvedTarget is a target, with the owner to which it may refer.
type resolvedTarget struct {
	target components.Target
	owner  entangle.ClientID
}

// formerAncestors is what an entity has from ancestors that it had: a paused entity until it
// resumes, and a child that lost its parent, with a Replicate that the plugin added, until it has a
// parent again or the game changes that Replicate.
type formerAncestors struct {
	targets   []resolvedTarget     // of the ancestors, except those that include all clients
	relevance components.Relevance // its own or the one that it inherited, if its Replicate is the plugin's
	peers     []PeerGroups         // of a paused entity with children: the peers to which it was visible
	line      []ecs.Entity         // of a paused entity with children: it and its ancestors
}

// formerVisibility holds the former ancestors of entities.
type formerVisibility struct {
	of      map[repl.Slot]formerAncestors
	inRooms set.Bitset // those with a room among the targets
}

// recordFormer records the former ancestors of each entity that was just paused or just lost its
// parent, so that neither shows it or its descendants to more clients. Call it before any other
// change of the tick is read: the state that was last sent counts.
func (v *visibility) recordFormer() {
	h := &v.collector.Hierarchy
	for _, at := range v.collector.Table.Paused() {
		s := repl.Slot(at)
		r := v.formerOf(s)
		if h.Propagation.hasChildren(v.collector.EntityOf(s)) {
			r.peers, r.line = v.peersSeeing(s), v.lineOf(s)
		}
		v.keepFormer(s, r)
	}
	for _, e := range h.Propagation.checked {
		if s, ok := v.collector.Slot(e); ok && h.losesParent(s) {
			v.keepFormerOf(s)
		}
	}
}

// formerOf returns the targets of the ancestors of an entity and of their former ones, and its
// relevance if its Replicate is the plugin's.
func (v *visibility) formerOf(s repl.Slot) (r formerAncestors) {
	if v.collector.Hierarchy.Propagation.Slots.added.Has(int(s)) {
		r.relevance = v.relevance[s]
	}
	for above, ok := v.collector.Hierarchy.parentOrPaused(s); ok; above, ok = v.collector.Hierarchy.parentOrPaused(s) {
		if s = above; !v.targetOpenToAll(s) {
			r.targets = append(r.targets, resolvedTarget{v.Assigned.targets[s], v.Owner[s]})
		}
	}
	if v.collector.Hierarchy.isTooDeep(s) { // only the topmost can be
		r.targets = append(r.targets, resolvedTarget{target: components.Nobody})
	}
	r.targets = append(r.targets, v.former.of[s].targets...) // only the topmost has any
	return r
}

// keepFormerOf records the former ancestors of an entity that is about to lose its parent.
func (v *visibility) keepFormerOf(s repl.Slot) { v.keepFormer(s, v.formerOf(s)) }

// lineOf returns an entity and its ancestors.
func (v *visibility) lineOf(s repl.Slot) []ecs.Entity {
	line := []ecs.Entity{v.collector.EntityOf(s)}
	for above, ok := v.collector.Hierarchy.parentOrPaused(s); ok; above, ok = v.collector.Hierarchy.parentOrPaused(s) {
		s = above
		line = append(line, v.collector.EntityOf(s))
	}
	return append(line, v.former.of[s].line...)
}

// keepFormer stores the former ancestors of an entity, if they limit anything.
func (v *visibility) keepFormer(s repl.Slot, r formerAncestors) {
	if r.targets == nil && r.peers == nil && r.relevance == components.Always {
		return
	}
	v.former.of[s] = r
	v.former.inRooms.Grow(int(s) + 1)
	if slices.ContainsFunc(r.targets, func(t resolvedTarget) bool { _, ok := t.target.Room(); return ok }) {
		v.former.inRooms.Set(int(s))
	}
}

// dropFormer forgets the former ancestors of an entity, and reports whether it had any.
func (f *formerVisibility) dropFormer(s repl.Slot) bool {
	if _, ok := f.of[s]; !ok {
		return false
	}
	delete(f.of, s)
	f.inRooms.Clear(int(s))
	return true
}

// resumeFormer drops the former ancestors of an entity that resumes, unless the plugin resumes it:
// it may have lost its parent meanwhile.
func (v *visibility) resumeFormer(s repl.Slot) {
	if !v.collector.Hierarchy.Propagation.Slots.added.Has(int(s)) {
		v.former.dropFormer(s)
	} else if r, ok := v.former.of[s]; ok {
		r.peers, r.line = nil, nil
		v.former.of[s] = r
	}
}

// reevaluateFormer re-evaluates, for a client that entered or left a room, the entities with a
// former ancestor that has that room as its target.
func (v *visibility) reevaluateFormer(c *Client, room components.Room) {
	for s := v.former.inRooms.Next(0); s >= 0; s = v.former.inRooms.Next(s + 1) {
		if slices.ContainsFunc(v.former.of[repl.Slot(s)].targets, func(t resolvedTarget) bool { r, ok := t.target.Room(); return ok && r == room }) {
			v.reevaluate(c, repl.Slot(s), v.show)
		}
	}
}

// peersSeeing returns the peers to which an entity was visible before this tick. A client that joins now has seen nothing.
func (v *visibility) peersSeeing(s repl.Slot) (all []PeerGroups) {
	for i := range v.Clients {
		if c := &v.Clients[i]; !c.fresh && c.Peer.Finds(s) {
			all = append(all, c.Peer)
		}
	}
	return all
}

// keptByPausedParent reports whether an entity is replicated without its paused parent, and relevant
// to a client because of it: the parent was visible to the client when it was paused, and it or an
// ancestor that it had then is relevant to the client now.
func (v *visibility) keptByPausedParent(c *Client, s repl.Slot) bool {
	for above, ok := v.collector.Hierarchy.parentOrPaused(s); ok; above, ok = v.collector.Hierarchy.parentOrPaused(above) {
		if v.collector.Paused.Has(int(above)) {
			r := v.former.of[above]
			return slices.Contains(r.peers, c.Peer) && slices.ContainsFunc(r.line, func(e ecs.Entity) bool {
				s, ok := v.collector.Slot(e)
				return ok && (v.relevance[s] == components.Always || v.isRelevant(c, s))
			})
		}
	}
	return false
}

// markDetached marks all entities stale that are replicated without their paused parent, after an
// entity that may be an ancestor of it changed or ended.
func (v *visibility) markDetached() {
	behind := v.collector.Hierarchy.detached
	for s := behind.Next(0); s >= 0; s = behind.Next(s + 1) {
		v.markStale(repl.Slot(s))
	}
	v.staleDetached = false
}

// reevaluateDetached re-evaluates, for a client, all entities that are replicated without their
// paused parent: the parent, its ancestors and their former targets decide about them too.
func (v *visibility) reevaluateDetached(c *Client) {
	behind := v.collector.Hierarchy.detached
	for s := behind.Next(0); s >= 0; s = behind.Next(s + 1) {
		v.reevaluate(c, repl.Slot(s), v.show)
	}
}
