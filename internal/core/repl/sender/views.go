package sender

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/core/repl/view"
)

// Finds reports whether an entity is shown to the peer: its group is, and the view does not hide the entity.
func (p *Peer) Finds(s repl.Slot) bool {
	return p.state.Slots.Used.Has(int(s)) && p.groups.SeesEntity(s)
}

// Keeps reports whether an entity is shown to the peer, or the peer keeps it in a retained or vacated group.
func (p *Peer) Keeps(s repl.Slot) bool {
	if p.keepsInVacated(s) || !p.Retains(s) {
		return p.keepsInVacated(s) || p.Finds(s)
	}
	sp, i := p.groups.Locate(p.state.Slots.Group[s])
	_, m := p.state.Member(s)
	h, _ := p.state.Views.Hidden(sp.ViewOf(i), m.Number)
	return !h.Whole && !sp.AsOf(i).Before(m.Joined)
}

// SetView sets the peer's view of an entity's group to one that hides the given entities and components. Hidden entities
// that are not in the group are ignored. The view is for the present members: set it again when others join. If it
// changes for a member that the peer may have, the group is sent again in full. SetView reports false, and changes
// nothing, if the group has no handle at the peer, if the peer retains it, or if view.Max views are in use.
func (p *Peer) SetView(s repl.Slot, hidden ...view.Hidden) bool {
	if !p.state.Slots.Used.Has(int(s)) {
		return false
	}
	sp, i := p.groups.Locate(p.state.Slots.Group[s])
	if i < 0 || sp.Retained.Has(i) {
		return false
	}
	was := sp.ViewOf(i)
	id, ok := p.state.Views.Intern(p.state.HiddenMembers(p.state.Slots.Group[s], was, hidden))
	if !ok {
		return false
	}
	if id == was {
		return true
	}
	again := sp.Phase[i] == group.Present && p.state.ViewsDiffer(p.state.Slots.Group[s], was, id, sp.StructureAsOf[i])
	if again {
		p.rememberView(sp, i)
		sp.NeedsFull.Set(i)
		sp.StructureDue.Set(i)
	}
	p.changeView(sp, i, id)
	if sp.Phase[i] == group.Absent && p.groups.SeesGroup(p.state.Slots.Group[s]) {
		sp.StructureDue.Set(i)
	}
	if again && sp == &p.groups.Private {
		p.noteEarlierInserts(i, p.state.Slots.Group[s])
	}
	p.prediction.updatePredicted(sp, i)
	sp.UpdateSteady(i)
	return true
}

// changeView gives a peer another view of a group.
func (p *Peer) changeView(sp *group.Space, i int, id view.ID) {
	p.state.Views.AddUsers(id, 1)
	p.state.Views.AddUsers(sp.ViewOf(i), -1)
	if sp.Views == nil {
		sp.GrowViews(len(sp.Phase))
	}
	sp.Views[i] = id
	if sp.Due.Has(i) {
		sp.Resend(i)
	}
}

// unhideNumber removes a member number from the views of all peers, because another entity gets the number.
func (w *World) unhideNumber(id ident.Group, n repl.Member) {
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
			p.changeView(sp, i, to)
		}
	}
}
