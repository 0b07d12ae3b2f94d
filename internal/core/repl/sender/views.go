package sender

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/core/repl/view"
)

// Finds reports whether the peer is shown an entity: its group, and it there.
func (p *Peer) Finds(s repl.Slot) bool {
	return p.state.Slots.Used.Has(int(s)) && p.groups.SeesEntity(s)
}

// Keeps reports whether the peer was left an entity: it is shown it, or retains its group and was
// sent the entity there.
func (p *Peer) Keeps(s repl.Slot) bool {
	if p.keepsMoved(s) || !p.Retains(s) {
		return p.keepsMoved(s) || p.Finds(s)
	}
	sp, i := p.groups.Locate(p.state.Slots.Group[s])
	_, m := p.state.Member(s)
	h, _ := p.state.Views.Hidden(sp.ViewOf(i), m.Number)
	return !h.Whole && !sp.AsOf(i).Before(m.Joined)
}

// SetView sets the peer's view of an entity's group: all but the hidden parts. Hidden entities that
// are not in the group are ignored. The view holds for the present members: set it again when
// others join. If the view of something that the peer may have changes, the group is sent again in
// full. It reports false, and changes nothing, when the peer has no such group, or retains it, or
// view.Max are in use.
func (p *Peer) SetView(s repl.Slot, hidden ...view.Hidden) bool {
	w := p.world
	if !w.state.Slots.Used.Has(int(s)) {
		return false
	}
	sp, i := p.groups.Locate(w.state.Slots.Group[s])
	if i < 0 || sp.Retained.Has(i) {
		return false
	}
	was := sp.ViewOf(i)
	id, ok := w.state.Views.Intern(w.state.HiddenMembers(w.state.Slots.Group[s], was, hidden))
	if !ok {
		return false
	}
	if id == was {
		return true
	}
	again := sp.Phase[i] == group.Present && w.state.ViewsDiffer(w.state.Slots.Group[s], was, id, sp.StructureAsOf[i])
	if again {
		p.keepView(sp, i)
		sp.NeedsFull.Set(i)
		sp.StructureDue.Set(i)
	}
	p.changeView(sp, i, id)
	if sp.Phase[i] == group.Absent && p.groups.SeesGroup(w.state.Slots.Group[s]) {
		sp.StructureDue.Set(i)
	}
	if again && sp == &p.groups.Private {
		p.noteInsertedBefore(i, w.state.Slots.Group[s])
	}
	p.updatePredicted(sp, i)
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

// unhide ends what peers may not see of a number, which is another member's from now on.
func (w *World) unhide(id ident.Group, n repl.Member) {
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
		if to, ok := w.state.Views.Intern(rest); ok { // else it stays hidden, until it is said anew
			p.changeView(sp, i, to)
		}
	}
}
