package sender

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/core/repl/view"
	"github.com/entangle-ecs/entangle/internal/set"
)

// An entity that leaves a group of its own for a group that the peer is to retain, and that it was
// not sent there, stays at the peer in its former group. That group has ended, and is vacated:
// nothing of it is sent but the removal of components that are hidden from the peer. When the
// entity's present group is shown, both halves of the move are sent. When the entity ends, moves on
// or is hidden, the former group ends at the peer.

// vacated is a former group at a peer.
type vacated struct {
	has  set.Mask // components of its entity that the peer may have
	lose set.Mask // those of them that it is to lose
}

// RetainMoved makes the peer keep the entities of a group that were alone in a group before, and
// that it still has there, without the hidden parts. It lasts until Show or Hide of the group, or
// until an entity moves on or ends. Call it after Retain.
func (p *Peer) RetainMoved(s repl.Slot, hidden ...view.Hidden) {
	w := p.world
	if len(w.state.Trails) == 0 || !w.state.Slots.Used.Has(int(s)) {
		return
	}
	for _, m := range w.state.Groups[w.state.Slots.Group[s]].Members {
		h := view.HiddenMember{}
		for k := range hidden {
			if hidden[k].Slot == m.Slot {
				h.Whole, h.Comps = h.Whole || hidden[k].Whole, h.Comps.Or(hidden[k].Comps)
			}
		}
		for _, from := range w.state.Trails[m.Slot] {
			if w.state.Groups[from].Place.Alone() {
				p.vacate(from, m.Slot, h)
			}
		}
	}
}

// vacate makes the peer keep an entity in a group that it left, if the peer has it there.
func (p *Peer) vacate(from ident.Group, s repl.Slot, h view.HiddenMember) {
	sp, i := p.groups.Locate(from)
	if i < 0 || !p.groups.StillHas(sp, i, s) {
		return
	}
	v, kept := p.vacant[from]
	if h.Whole || !kept && (sp.Hidden.Has(i) || sp.AwaitsResync.Has(i) || sp.Predicted.Has(i)) {
		p.endVacated(from)
		return
	}
	if !kept {
		sp.StartRetaining(i, p.state.Tick)
		v.has = p.mayHave(sp, i, s)
		sp.StructureDue.Clear(i)
	}
	if v.lose = v.has.And(h.Comps); !v.lose.IsZero() {
		sp.StructureDue.Set(i)
	}
	if p.vacant == nil {
		p.vacant = map[ident.Group]vacated{}
	}
	p.vacant[from] = v
}

// mayHave returns the components that the peer may have of an entity which was alone in a group
// that it retains.
func (p *Peer) mayHave(sp *group.Space, i int, s repl.Slot) (has set.Mask) {
	for c := range p.state.Comps {
		has.Set(c)
	}
	h, _ := p.state.Views.Hidden(p.groups.SentView(sp, i), 0)
	has = p.state.MayHaveHad(s, has.Without(h.Comps), sp.AsOf(i))
	return has.Without(p.state.InsertedNow(s, sp.AsOf(i)))
}

// endVacated ends a vacated group at the peer, or completes the move out of it.
func (p *Peer) endVacated(from ident.Group) {
	if _, ok := p.vacant[from]; !ok {
		return
	}
	delete(p.vacant, from)
	sp, i := p.groups.Locate(from)
	sp.StructureDue.Set(i)
}

// endVacatedBy does so for the groups that the members of a group left.
func (p *Peer) endVacatedBy(id ident.Group) {
	if len(p.vacant) == 0 {
		return
	}
	for _, m := range p.state.Groups[id].Members {
		for _, from := range p.state.Trails[m.Slot] {
			p.endVacated(from)
		}
	}
}

// endVacated ends the groups that an entity left at all peers that keep it there.
func (w *World) endVacated(s repl.Slot) {
	for _, from := range w.state.Trails[s] {
		for _, p := range w.peers {
			p.endVacated(from)
		}
	}
}

// keepsMoved reports whether the peer keeps an entity in a group that it left.
func (p *Peer) keepsMoved(s repl.Slot) bool {
	if len(p.vacant) == 0 {
		return false
	}
	for _, from := range p.state.Trails[s] {
		if _, ok := p.vacant[from]; ok {
			return true
		}
	}
	return false
}

// lostComponents notes that the peer was sent the removal of components of a vacated group, and
// reports whether the group is one.
func (p *Peer) lostComponents(id ident.Group) bool {
	v, ok := p.vacant[id]
	if ok {
		v.has, v.lose = v.has.Without(v.lose), set.Mask{}
		p.vacant[id] = v
	}
	return ok
}
