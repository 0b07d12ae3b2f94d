package sender

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/core/repl/view"
)

// finds reports whether a peer may see an entity in the group that it is in.
func (p *Peer) finds(s repl.Slot) bool {
	id := p.state.slots.group[s]
	if !p.shows(id) {
		return false
	}
	sp, i := p.stateOf(id)
	h, _ := p.state.views.Hides(sp.viewOf(i), p.state.slots.numberHere[s])
	return !h.Whole
}

// gets is finds, but excludes groups that are too large to be sent: an entity that moves to one
// does not hold up the group that it leaves.
func (p *Peer) gets(s repl.Slot) bool {
	return p.finds(s) && !p.state.groups[p.state.slots.group[s]].withheld
}

// Finds reports whether the peer is shown an entity: its group, and it there.
func (p *Peer) Finds(s repl.Slot) bool { return p.state.slots.used.Has(int(s)) && p.finds(s) }

// Keeps reports whether the peer was left an entity: it is shown it, or retains its group and was
// sent the entity there.
func (p *Peer) Keeps(s repl.Slot) bool {
	if p.keepsMoved(s) || !p.Retains(s) {
		return p.keepsMoved(s) || p.Finds(s)
	}
	sp, i := p.stateOf(p.state.slots.group[s])
	_, m := p.state.member(s)
	h, _ := p.state.views.Hides(sp.viewOf(i), m.number)
	return !h.Whole && !sp.asOf(i).Before(m.since)
}

// SetView sets the peer's view of an entity's group: all but the hidden parts. Hidden entities that
// are not in the group are ignored. The view holds for the present members: set it again when
// others join. If the view of something that the peer may have changes, the group is sent again in
// full. It reports false, and changes nothing, when the peer has no such group, or retains it, or
// view.Max are in use.
func (p *Peer) SetView(s repl.Slot, hidden ...view.Hidden) bool {
	w := p.world
	if !w.state.slots.used.Has(int(s)) {
		return false
	}
	sp, i := p.stateOf(w.state.slots.group[s])
	if i < 0 || sp.retained.Has(i) {
		return false
	}
	was := sp.viewOf(i)
	id, ok := w.state.views.Intern(w.state.parts(w.state.slots.group[s], was, hidden))
	if !ok {
		return false
	}
	if id == was {
		return true
	}
	again := sp.phase[i] == known && w.state.viewsDiffer(w.state.slots.group[s], was, id, sp.shaped[i])
	if again {
		p.keepView(sp, i)
		sp.doubted.Set(i)
		sp.shapeDue.Set(i)
	}
	p.changeView(sp, i, id)
	if sp.phase[i] == unknown && p.shows(w.state.slots.group[s]) {
		sp.shapeDue.Set(i)
	}
	if again && sp == &p.private {
		p.noteInsertedBefore(i, w.state.slots.group[s])
	}
	p.updatePredicted(sp, i)
	sp.settle(i)
	return true
}

// changeView gives a peer another view of a group.
func (p *Peer) changeView(sp *space, i int, id view.ID) {
	p.state.views.Use(id, 1)
	p.state.views.Use(sp.viewOf(i), -1)
	if sp.view == nil {
		sp.showAll(len(sp.phase))
	}
	sp.view[i] = id
	if sp.due.Has(i) {
		sp.sendAgain(i)
	}
}

// shows reports whether values that a view shows of a group changed after a tick. A hidden change
// does not cause data in flight to be resent.
func (w *State) shows(id ident.Group, v view.ID, after entangle.Tick) bool {
	t, any := &w.slots, allTime(w.tick)
	for i := range w.groups[id].members {
		m := &w.groups[id].members[i]
		if w.isPaused(m.slot) || !after.Before(t.touched[m.slot]) {
			continue
		}
		h, _ := w.views.Hides(v, m.number)
		if changed := t.changedSince(m.slot, after, &any).Without(h.Comps); !h.Whole && !changed.IsZero() {
			return true
		}
	}
	return false
}

// showsActive reports whether a view shows a member of a group that does not rest.
func (w *State) showsActive(id ident.Group, v view.ID) bool {
	gr := &w.groups[id]
	if v == 0 {
		return gr.active > 0
	}
	return slices.ContainsFunc(gr.members, func(m member) bool {
		h, _ := w.views.Hides(v, m.number)
		return !h.Whole && !w.rests(&m)
	})
}

// parts returns the hidden parts of a group, by number. Hidden parts of entities that left the
// group stay hidden, or the peer would learn that they left.
func (w *State) parts(id ident.Group, was view.ID, hidden []view.Hidden) []view.Part {
	parts := w.views.Scratch[:0]
	for i := range hidden {
		h := &hidden[i]
		if w.slots.used.Has(int(h.Slot)) && w.slots.group[h.Slot] == id && (h.Whole || !h.Comps.IsZero()) {
			number := w.slots.numberHere[h.Slot]
			if h.Whole {
				parts = append(parts, view.Part{Number: number, Whole: true})
			} else {
				parts = append(parts, view.Part{Number: number, Comps: h.Comps})
			}
		}
	}
	if was != 0 {
		for i := range w.groups[id].left {
			if h, some := w.views.Hides(was, w.groups[id].left[i].number); some && h.Whole {
				parts = append(parts, h)
			}
		}
	}
	slices.SortFunc(parts, view.ByNumber)
	w.views.Scratch = parts
	return parts
}

// viewsDiffer reports whether two views differ in the parts of a group that they show to a peer to
// which its structure was last sent at a tick: for entities that came since, only the new view
// counts.
func (w *State) viewsDiffer(id ident.Group, a, b view.ID, told entangle.Tick) bool {
	for i := range w.groups[id].members {
		m := &w.groups[id].members[i]
		if told.Before(m.since) {
			continue
		}
		was, _ := w.views.Hides(a, m.number)
		if is, _ := w.views.Hides(b, m.number); is != was {
			return true
		}
	}
	return false
}

// unhide ends what peers may not see of a number, which is another member's from now on.
func (w *World) unhide(id ident.Group, n repl.Member) {
	for _, p := range w.peers {
		sp, i := p.stateOf(id)
		if i < 0 || sp.viewOf(i) == 0 {
			continue
		}
		if _, some := w.state.views.Hides(sp.viewOf(i), n); !some {
			continue
		}
		rest := append(w.state.views.Scratch[:0], w.state.views.Parts(sp.viewOf(i))...)
		rest = slices.DeleteFunc(rest, func(h view.Part) bool { return h.Number == n })
		w.state.views.Scratch = rest
		if to, ok := w.state.views.Intern(rest); ok { // else it stays hidden, until it is said anew
			p.changeView(sp, i, to)
		}
	}
}
