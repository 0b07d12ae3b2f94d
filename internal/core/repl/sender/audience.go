package sender

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/set"
)

// Show makes the private group of an entity visible to the peer. Public groups are visible to all.
// It reports false when the peer has no handle left for it.
func (p *Peer) Show(s repl.Slot) bool {
	w := p.world
	if !w.state.slots.used.Has(int(s)) {
		return false
	}
	id := w.state.slots.group[s]
	gr := &w.state.groups[id]
	if !gr.private {
		return true
	}
	p.endVacatedBy(id)
	if !p.reserve(id) {
		return false
	}
	v := gr.viewer(p.seat)
	if v.Shown() {
		return true
	}
	v.SetShown(true)
	i := v.Handle()
	p.private.thaw(i)
	if p.private.hidden.Has(i) {
		p.private.hidden.Clear(i)
		p.private.doubted.Set(i) // its changes meanwhile were not sent
	}
	p.private.shapeDue.Set(i)
	p.updatePredicted(&p.private, i)
	return true
}

// Hide makes the private group of an entity invisible to the peer.
func (p *Peer) Hide(s repl.Slot) {
	w := p.world
	if !w.state.slots.used.Has(int(s)) {
		return
	}
	p.endVacatedBy(w.state.slots.group[s])
	gr := &w.state.groups[w.state.slots.group[s]]
	v := gr.viewer(p.seat)
	if v == nil || !v.Shown() && !p.private.retained.Has(v.Handle()) {
		return
	}
	sp, i := &p.private, v.Handle()
	v.SetShown(false)
	if sp.phase[i] != known {
		p.updatePredicted(sp, i)
		sp.shapeDue.Clear(i)
		p.unsent(sp, i)
		if sp.phase[i] == unknown { // else its end is in flight
			p.retire(i)
		}
		return
	}
	p.conceal(i)
}

// conceal ends a private group that the peer was sent.
func (p *Peer) conceal(i int) {
	sp := &p.private
	if !sp.hidden.Has(i) {
		p.noteHidden(i)
	}
	sp.hidden.Set(i)
	sp.shapeDue.Set(i)
	sp.steady.Clear(i)
	p.updatePredicted(sp, i)
}

// noteHidden notes the tick from which a group is hidden, if the peer has entities of it that were
// let go before and was not sent that. It keeps those, and not the ones that are let go later.
func (p *Peer) noteHidden(i int) {
	delete(p.hiddenAt, int32(i))
	left := p.state.groups[p.private.ids.Groups[i]].left
	if !slices.ContainsFunc(left, func(l leaver) bool { return l.fate == repl.Orphaned && p.private.hasLeaver(i, &l) }) {
		return
	}
	if p.hiddenAt == nil {
		p.hiddenAt = map[int32]entangle.Tick{}
	}
	p.hiddenAt[int32(i)] = p.state.tick
}

// hiddenSince returns the tick from which a group is hidden at a peer that was not sent its end. If
// no entity was let go before that tick, any earlier tick does as well.
func (p *Peer) hiddenSince(i int) entangle.Tick {
	if at, ok := p.hiddenAt[int32(i)]; ok {
		return at
	}
	return p.private.shaped[i]
}

// Sees reports whether the peer is shown the group of an entity.
func (p *Peer) Sees(s repl.Slot) bool {
	w := p.world
	return w.state.slots.used.Has(int(s)) && p.shows(w.state.slots.group[s])
}

// Number returns the index of this peer among the world's peers, from 0. It is reused when the peer
// is removed.
func (p *Peer) Number() int { return int(p.seat) }

// SeenBy sets the numbers of the peers that are shown the private group of an entity. For a public
// group it reports true, and sets none: all peers see it.
func (w *World) SeenBy(s repl.Slot, peers *set.Bitset) (all bool) {
	if !w.state.slots.used.Has(int(s)) {
		return false
	}
	gr := &w.state.groups[w.state.slots.group[s]]
	if !gr.private {
		return true
	}
	peers.Grow(len(w.seats))
	for i := range gr.viewers {
		if gr.viewers[i].Shown() {
			peers.Set(int(gr.viewers[i].Peer()))
		}
	}
	return false
}

func (p *Peer) shows(id ident.Group) bool {
	gr := &p.state.groups[id]
	if !gr.private {
		return true
	}
	v := gr.viewer(p.seat)
	return v != nil && v.Shown()
}

// reserve gives a group a handle at the peer, if it has none. It is not ok when no handle is left.
func (p *Peer) reserve(id ident.Group) bool {
	w := p.world
	gr := &w.state.groups[id]
	if !gr.private || gr.viewer(p.seat) != nil {
		return true
	}
	sp := &p.private
	h, ok := sp.ids.Take(id)
	if !ok {
		return false
	}
	sp.grow(sp.ids.Len(), w.state.tick)
	gr.viewers = w.state.lists.Add(gr.viewers, ident.NewViewer(p.seat, h))
	return true
}

// unreserve frees the handle of an ended group.
func (p *Peer) unreserve(i int) {
	sp := &p.private
	p.disregard(sp, i)
	used := sp.before.Has(i) || sp.referred.Has(i)
	sp.resetHandle(i)
	sp.ids.Free(i, used)
}

// disregard resets the view and the prediction of a group, so that the next group under its handle
// is fully visible, and not predicted.
func (p *Peer) disregard(sp *space, i int) {
	p.state.views.Use(sp.viewOf(i), -1)
	if sp.view != nil {
		sp.view[i] = 0
	}
	p.forgetPredicted(sp, i)
	p.dropView(sp, i)
	p.unsent(sp, i)
}

func (w *World) dropViewer(gr *group, p *Peer) {
	rest := slices.DeleteFunc(gr.viewers, func(v ident.Viewer) bool { return v.Peer() == p.seat })
	gr.viewers = w.state.lists.Fit(rest)
}
