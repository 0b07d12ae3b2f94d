package sender

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
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
	if len(w.state.trails) == 0 || !w.state.slots.used.Has(int(s)) {
		return
	}
	for _, m := range w.state.groups[w.state.slots.group[s]].members {
		h := view.Part{}
		for k := range hidden {
			if hidden[k].Slot == m.slot {
				h.Whole, h.Comps = h.Whole || hidden[k].Whole, h.Comps.Or(hidden[k].Comps)
			}
		}
		for _, from := range w.state.trails[m.slot] {
			if w.state.groups[from].place.Alone() {
				p.vacate(from, m.slot, h)
			}
		}
	}
}

// vacate makes the peer keep an entity in a group that it left, if the peer has it there.
func (p *Peer) vacate(from ident.Group, s repl.Slot, h view.Part) {
	sp, i := p.stateOf(from)
	if i < 0 || !p.hasStill(sp, i, s) {
		return
	}
	v, kept := p.vacant[from]
	if h.Whole || !kept && (sp.hidden.Has(i) || sp.behind.Has(i) || sp.predicted.Has(i)) {
		p.endVacated(from)
		return
	}
	if !kept {
		sp.freeze(i, p.state.tick)
		v.has = p.mayHave(sp, i, s)
		sp.shapeDue.Clear(i)
	}
	if v.lose = v.has.And(h.Comps); !v.lose.IsZero() {
		sp.shapeDue.Set(i)
	}
	if p.vacant == nil {
		p.vacant = map[ident.Group]vacated{}
	}
	p.vacant[from] = v
}

// mayHave returns the components that the peer may have of an entity which was alone in a group
// that it retains.
func (p *Peer) mayHave(sp *space, i int, s repl.Slot) (has set.Mask) {
	for c := range p.state.comps {
		has.Set(c)
	}
	h, _ := p.state.views.Hides(p.viewHeld(sp, i), 0)
	has = p.state.had(s, has.Without(h.Comps), sp.asOf(i))
	return has.Without(p.state.insertedAfter(s, sp.asOf(i)))
}

// endVacated ends a vacated group at the peer, or completes the move out of it.
func (p *Peer) endVacated(from ident.Group) {
	if _, ok := p.vacant[from]; !ok {
		return
	}
	delete(p.vacant, from)
	sp, i := p.stateOf(from)
	sp.shapeDue.Set(i)
}

// endVacatedBy does so for the groups that the members of a group left.
func (p *Peer) endVacatedBy(id ident.Group) {
	if len(p.vacant) == 0 {
		return
	}
	for _, m := range p.state.groups[id].members {
		for _, from := range p.state.trails[m.slot] {
			p.endVacated(from)
		}
	}
}

// endVacated ends the groups that an entity left at all peers that keep it there.
func (w *World) endVacated(s repl.Slot) {
	for _, from := range w.state.trails[s] {
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
	for _, from := range p.state.trails[s] {
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

// freeze begins to retain a group that was sent: updates of it are neither sent nor resent.
func (sp *space) freeze(i int, now entangle.Tick) {
	if sp.due.Has(i) {
		sp.forgo(i)
	}
	sp.doubted.Clear(i)
	sp.bulky.Clear(i)
	sp.steady.Clear(i)
	if sp.sent[i] != now && !sp.thawed.Has(i) && !sp.retained.Has(i) { // else sent is right: this tick's, or that of the last retention
		sp.sent[i] = sp.shaped[i]
	}
	sp.retained.Set(i)
	sp.thawed.Clear(i)
}
