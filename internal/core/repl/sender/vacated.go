package sender

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/core/repl/view"
	"github.com/entangle-ecs/entangle/internal/set"
)

// If an entity moves from a group of one to a group that the peer retains, and the peer was not sent the move, it keeps the
// entity in its former group. The former group has ended, and is vacated: nothing of it is sent except the removal of
// components that are hidden from the peer. When the present group of the entity is shown, both halves of the move are
// sent. When the entity ends, moves on or is hidden, the former group ends at the peer.

// vacated is the state of a vacated group at a peer.
type vacated struct {
	has    set.Mask // components of its entity that the peer may have
	remove set.Mask // components in has that are due for removal
}

// RetainMoved makes the peer keep those entities of a group that were in a group of one before and that it still has
// there, except for what is hidden. It lasts until Show or Hide of the group, or until an entity moves on or ends. Call
// it after Retain.
func (vis *visibility) RetainMoved(s repl.Slot, hidden ...view.Hidden) {
	if len(vis.state.Trails) == 0 || !vis.state.Slots.Used.Has(int(s)) {
		return
	}
	for _, m := range vis.state.Groups[vis.state.Slots.Group[s]].Members {
		h := view.HiddenMember{}
		for k := range hidden {
			if hidden[k].Slot == m.Slot {
				h.Whole, h.Comps = h.Whole || hidden[k].Whole, h.Comps.Or(hidden[k].Comps)
			}
		}
		for _, from := range vis.state.Trails[m.Slot] {
			if vis.state.Groups[from].Place.Alone() {
				vis.vacate(from, m.Slot, h)
			}
		}
	}
}

// vacate makes the peer keep an entity in a group that it left, if the peer has it there.
func (vis *visibility) vacate(from ident.Group, s repl.Slot, h view.HiddenMember) {
	sp, i := vis.groups.Locate(from)
	if i < 0 || !vis.groups.StillHas(sp, i, s) {
		return
	}
	v, kept := vis.vacant[from]
	if h.Whole || !kept && (sp.Hidden.Has(i) || sp.AwaitsResync.Has(i) || sp.Predicted.Has(i)) {
		vis.endVacated(from)
		return
	}
	if !kept {
		sp.StartRetaining(i, vis.state.Tick)
		v.has = vis.mayHave(sp, i, s)
		sp.StructureDue.Clear(i)
	}
	if v.remove = v.has.And(h.Comps); !v.remove.IsZero() {
		sp.StructureDue.Set(i)
	}
	if vis.vacant == nil {
		vis.vacant = map[ident.Group]vacated{}
	}
	vis.vacant[from] = v
}

// mayHave returns the components that the peer may have of the only entity of a retained group.
func (vis *visibility) mayHave(sp *group.Space, i int, s repl.Slot) (has set.Mask) {
	for c := range vis.state.Comps {
		has.Set(c)
	}
	h, _ := vis.state.Views.Hidden(vis.groups.SentView(sp, i), 0)
	has = vis.state.MayHaveHad(s, has.Without(h.Comps), sp.AsOf(i))
	return has.Without(vis.state.InsertedNow(s, sp.AsOf(i)))
}

// endVacated ends a vacated group at the peer, or completes the move out of it.
func (vis *visibility) endVacated(from ident.Group) {
	if _, ok := vis.vacant[from]; !ok {
		return
	}
	delete(vis.vacant, from)
	sp, i := vis.groups.Locate(from)
	sp.StructureDue.Set(i)
}

// endVacatedBy does so for the groups that the present members of a group vacated.
func (vis *visibility) endVacatedBy(id ident.Group) {
	if len(vis.vacant) == 0 {
		return
	}
	for _, m := range vis.state.Groups[id].Members {
		for _, from := range vis.state.Trails[m.Slot] {
			vis.endVacated(from)
		}
	}
}

// endVacated ends the groups that an entity vacated, at all peers.
func (w *World) endVacated(s repl.Slot) {
	for _, from := range w.state.Trails[s] {
		for _, p := range w.peers {
			p.visibility.endVacated(from)
		}
	}
}

// keepsInVacated reports whether the peer keeps an entity in a vacated group.
func (vis *visibility) keepsInVacated(s repl.Slot) bool {
	if len(vis.vacant) == 0 {
		return false
	}
	for _, from := range vis.state.Trails[s] {
		if _, ok := vis.vacant[from]; ok {
			return true
		}
	}
	return false
}

// noteComponentsRemoved reports whether a group is vacated. If it is, it records that the peer was sent the removal of
// its hidden components.
func (vis *visibility) noteComponentsRemoved(id ident.Group) bool {
	v, ok := vis.vacant[id]
	if ok {
		v.has, v.remove = v.has.Without(v.remove), set.Mask{}
		vis.vacant[id] = v
	}
	return ok
}
