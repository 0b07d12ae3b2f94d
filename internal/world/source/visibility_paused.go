package source

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/mlange-42/arche/ecs"
)

// resolvedTarget is a target, with the owner to which it may refer.
type resolvedTarget struct {
	target components.Target
	owner  entangle.ClientID
}

// pausedVisibility is the visibility of an entity when it was paused.
type pausedVisibility struct {
	ancestors []resolvedTarget // targets of its ancestors, except those that include all clients
	peers     []PeerGroups     // peers to which it was visible, if it has children
	line      []ecs.Entity     // it and its ancestors, if it has children
}

// recordPaused records the targets of the ancestors of each entity that was just paused, and the
// peers to which it was visible. Until it resumes it has no parent, and it must not become visible
// to more clients meanwhile, nor must children replicated without it. Call it before any other
// change of the tick is read: the state that was last sent counts.
func (v *visibility) recordPaused(paused []columns.Slot) {
	for _, at := range paused {
		s := repl.Slot(at)
		var r pausedVisibility
		for above, ok := v.collector.Hierarchy.parentOrPaused(s); ok; above, ok = v.collector.Hierarchy.parentOrPaused(above) {
			if t := v.Assigned.targets[above]; t != components.Default && t != components.Everyone {
				r.ancestors = append(r.ancestors, resolvedTarget{t, v.Owner[above]})
			}
			r.ancestors = append(r.ancestors, v.paused[above].ancestors...)
			r.line = append(append(r.line, v.collector.EntityOf(above)), v.paused[above].line...)
		}
		if e := v.collector.EntityOf(s); v.collector.Hierarchy.Propagation.hasChildren(e) {
			r.peers, r.line = v.peersSeeing(s), append(r.line, e)
		}
		if r.ancestors != nil || r.peers != nil {
			v.paused[s] = r
		}
	}
}

// peersSeeing returns the peers to which an entity is visible.
func (v *visibility) peersSeeing(s repl.Slot) (all []PeerGroups) {
	for i := range v.Clients {
		if c := &v.Clients[i]; c.Peer.Finds(s) {
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
			r := v.paused[above]
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
