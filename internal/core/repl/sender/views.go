package sender

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/core/repl/view"
	"github.com/entangle-ecs/entangle/internal/set"
)

// Finds reports whether an entity is shown to the peer: its group is, and the view does not hide the entity.
func (vis *visibility) Finds(s repl.Slot) bool {
	return vis.state.Slots.Used.Has(int(s)) && vis.groups.SeesEntity(s)
}

// Keeps reports whether an entity is shown to the peer, or the peer keeps it in a retained group.
func (vis *visibility) Keeps(s repl.Slot) bool {
	if !vis.Retains(s) {
		return vis.Finds(s)
	}
	sp, i := vis.groups.Locate(vis.state.Slots.Group[s])
	_, m := vis.state.Member(s)
	return !vis.state.Views.HidesMember(sp.ViewOf(i), m.Number) && !sp.MembersAsOf(i).Before(m.Joined)
}

// HiddenOf returns the components of an entity that the peer's view of its group hides.
func (vis *visibility) HiddenOf(s repl.Slot) set.Mask {
	if !vis.state.Slots.Used.Has(int(s)) {
		return set.Mask{}
	}
	sp, i := vis.groups.Locate(vis.state.Slots.Group[s])
	if i < 0 {
		return set.Mask{}
	}
	h, _ := vis.state.Views.Hidden(sp.ViewOf(i), vis.state.Slots.NumberHere[s])
	return h.Comps
}

// SetView sets the peer's view of an entity's group to one that hides the given entities and components. Hidden entities
// that are not in the group are ignored. The view is for the present members: set it again when others join. If it
// changes for a member that the peer may have, the group is sent again in full. SetView reports false, and changes
// nothing, if the group has no handle at the peer, if the peer retains it, or if view.Max views are in use.
func (vis *visibility) SetView(s repl.Slot, hidden ...view.Hidden) bool {
	if !vis.state.Slots.Used.Has(int(s)) {
		return false
	}
	sp, i := vis.groups.Locate(vis.state.Slots.Group[s])
	if i < 0 || sp.Retained.Has(i) {
		return false
	}
	was := sp.ViewOf(i)
	id, ok := vis.state.Views.Intern(vis.state.HiddenMembers(vis.state.Slots.Group[s], was, hidden))
	if !ok {
		return false
	}
	if id == was {
		return true
	}
	again := sp.Present.Has(i) && vis.state.ViewsDiffer(vis.state.Slots.Group[s], was, id, sp.StructureAsOf[i])
	if again {
		if _, older := vis.groups.SentViews[int32(i)]; !older && sp == &vis.groups.Private {
			vis.setSentView(i, was)
		}
		sp.NeedsFull.Set(i)
		sp.StructureDue.Set(i)
	}
	vis.changeView(sp, i, id)
	if sp.IsAbsent(i) && vis.groups.SeesGroup(vis.state.Slots.Group[s]) {
		sp.StructureDue.Set(i)
	}
	if again && sp == &vis.groups.Private {
		vis.noteEarlierInserts(i, vis.state.Slots.Group[s])
	}
	vis.prediction.updatePredicted(sp, i)
	return true
}

// changeView gives a peer another view of a group.
func (vis *visibility) changeView(sp *group.Space, i int, id view.ID) {
	vis.state.Views.AddUsers(id, 1)
	vis.state.Views.AddUsers(sp.ViewOf(i), -1)
	if sp.Views == nil {
		sp.GrowViews(sp.Len())
	}
	sp.Views[i] = id
	sp.Partial.Assign(i, id != 0)
	vis.recordSeen(sp, i)
	if sp.Due.Has(i) {
		sp.Requeue(i)
	}
}

// unhideNumber removes a member number from the views of all peers, because another entity gets the number.
func (w *World) unhideNumber(id ident.GroupIndex, n repl.Member) {
	for _, p := range w.peers {
		sp, i := p.groups.Locate(id)
		if i < 0 || sp.ViewOf(i) == 0 {
			continue
		}
		if _, some := w.state.Views.Hidden(sp.ViewOf(i), n); !some {
			continue
		}
		rest := append(w.state.Views.Scratch[:0], w.state.Views.HiddenMembers(sp.ViewOf(i))...)
		rest = slices.DeleteFunc(rest, func(h view.HiddenMember) bool { return h.Number == n })
		w.state.Views.Scratch = rest
		if to, ok := w.state.Views.Intern(rest); ok { // otherwise it stays hidden until the next SetView
			p.visibility.changeView(sp, i, to)
		}
	}
}
