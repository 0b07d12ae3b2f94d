package source

import (
	"cmp"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/interest"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// relevanceLevel is the reason for showing a group to a client that one of its entities is for.
type relevanceLevel uint8

const (
	irrelevant relevanceLevel = iota // none
	retained                         // it stays on clients that have it
	relevant                         // it is shown
)

// relevanceOf returns whether relevance is conditional for an entity. If its Replicate says
// Always, the nearest ancestor that does not decides; for a paused or former one, its value at that
// time.
func (h *hierarchy) relevanceOf(s repl.Slot) components.Relevance {
	former := h.collector.Visibility.former.of
	r := cmp.Or(h.collector.replicateOf(s).Relevance, former[s].relevance)
	for above, ok := h.parentOrPaused(s); ok; above, ok = h.parentOrPaused(above) {
		if h.collector.Paused.Has(int(above)) {
			return cmp.Or(r, h.collector.Visibility.relevance[above])
		}
		r = cmp.Or(r, h.collector.replicateOf(above).Relevance, former[above].relevance)
	}
	return r
}

// readRelevance reads whether relevance is conditional for an entity.
func (v *visibility) readRelevance(s repl.Slot) {
	r := v.collector.Hierarchy.relevanceOf(s)
	if r == v.relevance[s] {
		return
	}
	v.relevance[s] = r
	v.markStale(s)
	v.staleDetached = true
}

// relevanceTo returns the reason for showing an entity, and so its group, to a client that it is
// for. A paused entity is no reason: it stays, but its group does not stay because of it.
func (v *visibility) relevanceTo(c *Client, s repl.Slot) relevanceLevel {
	r := v.relevance[s]
	switch {
	case v.collector.Paused.Has(int(s)):
		return irrelevant
	case r == components.Always || v.isRelevant(c, s) || v.keptByPausedParent(c, s):
		return relevant
	case r == components.Retained:
		return retained
	default:
		return irrelevant
	}
}

// isRelevant reports whether an entity is relevant to a client.
func (v *visibility) isRelevant(c *Client, s repl.Slot) bool {
	owned := v.Owner[s] == c.id
	i := v.collector.interest
	n, known := i.Known(v.collector.Table.Entity(columns.Slot(s)))
	if !known {
		return owned // no relevance was set for it
	}
	return i.relevance.Matters(c.row, n, owned)
}

// applyRelevance re-evaluates entities after their relevance to a client changed, and entities with
// a room as target for clients that entered or left it.
func (v *visibility) applyRelevance() {
	i := v.collector.interest
	for at := range v.Clients {
		c := &v.Clients[at]
		v.groups.evaluation++
		first := i.relevance.NextChanged(c.row, 0)
		for n := first; n >= 0; n = i.relevance.NextChanged(c.row, n+1) {
			if s, ok := v.collector.Slot(i.entities[n]); ok && v.relevance[s] != components.Always {
				v.reevaluate(c, s, v.showByRelevance)
			}
		}
		if first >= 0 {
			v.reevaluateDetached(c)
		}
	}
	for _, m := range i.relevance.Moves() {
		if c := v.clientOfRow(m.Client); c != nil {
			v.groups.evaluation++
			v.applyRoomMove(c, m)
		}
	}
	i.relevance.ClearChanges()
}

// clientOfRow returns the client of a row, nil if there is none.
func (v *visibility) clientOfRow(row int) *Client {
	for i := range v.Clients {
		if v.Clients[i].row == row {
			return &v.Clients[i]
		}
	}
	return nil
}

// applyRoomMove re-evaluates the entities with a room as target for a client that entered or left
// it.
func (v *visibility) applyRoomMove(c *Client, m interest.Move) {
	room := components.Room(m.Room)
	for s, ok := v.Assigned.Rooms.First(room); ok; s, ok = v.Assigned.Rooms.Next(s) {
		v.reevaluate(c, repl.Slot(s), v.show)
	}
	o := &v.Overrides
	for i, ok := o.byRoom.First(room); ok; i, ok = o.byRoom.Next(i) {
		if s, ok := v.collector.Slot(o.list[i].entity); ok {
			v.reevaluate(c, s, v.show)
		}
	}
	v.reevaluateFormer(c, room)
	v.reevaluateDetached(c)
	v.updateRoomPredictions(c, m)
	v.updateRoomInterpolations(c, m)
}

// reevaluate re-evaluates the private group of an entity for a client, a named group only
// once.
func (v *visibility) reevaluate(c *Client, s repl.Slot, look func(*Client, []repl.Slot)) {
	group := v.group[s]
	switch {
	case group == nil && v.collector.Paused.Has(int(s)): // it keeps its visibility
	case group == nil && v.singles.Has(int(s)):
		v.scratch.one[0] = s
		look(c, v.scratch.one[:])
	case group != nil && group.evaluated != v.groups.evaluation:
		group.evaluated = v.groups.evaluation
		if members := v.privateMembers(group); len(members) > 0 {
			look(c, members)
		}
	}
}

// showByRelevance is show for changes of relevance only. For a visible group it stops at the first
// member that is relevant.
func (v *visibility) showByRelevance(c *Client, members []repl.Slot) {
	if c.Peer.Sees(members[0]) {
		for _, s := range members {
			if v.relevanceTo(c, s) == relevant && c.Peer.Finds(s) {
				return
			}
		}
	}
	v.show(c, members)
}
