package source

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
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
		}
		if v.collector.Hierarchy.Propagation.hasChildren(v.collector.Table.Entity(at)) {
			r.peers = v.peersSeeing(s)
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

// keptByPausedParent reports whether an entity is replicated without its paused parent, and that
// parent was visible to a client when it was paused. The client keeps both as before.
func (v *visibility) keptByPausedParent(c *Client, s repl.Slot) bool {
	for above, ok := v.collector.Hierarchy.parentOrPaused(s); ok; above, ok = v.collector.Hierarchy.parentOrPaused(above) {
		if v.collector.Paused.Has(int(above)) {
			return slices.Contains(v.paused[above].peers, c.Peer)
		}
	}
	return false
}
