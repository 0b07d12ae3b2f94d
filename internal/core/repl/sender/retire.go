package sender

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// When a private group has ended at a peer its handle is free again, be it that the group is
// gone, or hidden: which of the two, and what becomes of what is hidden, the handles of others
// must not tell. What the peer knows by a name from there keeps it.

// retiring is a handle that is to be freed when nothing at the peer has its name from there.
type retiring struct {
	at    int32
	group groupID
}

// retire has the handle of a group that has ended at this peer freed in a tick to come: in this
// one half of a move may be sent. One that the peer knows references to stays until the group
// is gone.
func (p *Peer) retire(i int) {
	if id := p.private.groups[i]; id != noGroup {
		p.retired = append(p.retired, retiring{int32(i), id})
	}
}

// reserveName gives a group a handle at the peer because of the name of one that is told of
// elsewhere. It is free again when the peer has nobody of that name any more.
func (p *Peer) reserveName(id groupID) {
	gr := &p.world.groups[id]
	if !gr.private || gr.viewer(p) != nil || !p.reserve(id) {
		return
	}
	p.retire(gr.viewer(p).at())
}

// maxLooks bounds for how many handles it is looked in a tick whether they can be freed.
const maxLooks = 64

// freeRetired frees what can be, of those whose turn it is.
func (p *Peer) freeRetired() {
	for range min(len(p.retired), maxLooks) {
		if p.looks++; p.looks >= len(p.retired) {
			p.looks = 0
		}
		if !p.settleRetired(p.retired[p.looks]) {
			continue
		}
		last := len(p.retired) - 1
		p.retired[p.looks] = p.retired[last]
		if p.retired = p.retired[:last]; last == 0 {
			return
		}
	}
}

// settleRetired reports whether a handle is free now, or not to be freed any more.
func (p *Peer) settleRetired(r retiring) (done bool) {
	gr, sp, i := &p.world.groups[r.group], &p.private, int(r.at)
	v := gr.viewer(p)
	switch {
	case v == nil || v.at() != i || v.shown() && gr.open || sp.phase[i] != unknown || sp.referred.Has(i):
		return true
	case !sp.shaped[i].Before(p.actions.oldest(p.world.tick)):
		return false // the end may wait at the peer for an action that is under way
	case p.namesOne(r.group):
		return false
	}
	p.world.dropViewer(gr, p)
	p.unreserve(i)
	return true
}

// namesOne reports whether the peer may have an entity elsewhere that has its name from a
// group.
func (p *Peer) namesOne(id groupID) bool {
	w := p.world
	for i := range w.groups[id].left {
		if l := &w.groups[id].left[i]; l.slot != repl.NoSlot && w.slots.home[l.slot] == id && w.slots.number[l.slot] == l.number && p.hasSomewhere(l.slot) {
			return true
		}
	}
	return w.graves.untold.some(func(g *grave) bool {
		sp, i := p.find(g.in)
		return g.home == id && i >= 0 && sp.shaped[i].Before(g.tick) && p.tellsOf(sp, i, g.number)
	})
}

// Has reports whether the peer was told of an entity, and has not acknowledged its end. It
// costs the same, and says the same, of what is hidden from it and of what is not there.
func (p *Peer) Has(s repl.Slot) bool {
	return p.world.slots.used.Has(int(s)) && p.hasSomewhere(s)
}

// hasSomewhere reports whether the peer may have an entity, where it is or where it was.
func (p *Peer) hasSomewhere(s repl.Slot) bool {
	w := p.world
	_, m := w.member(s)
	sp, i := p.find(w.slots.group[s])
	if i >= 0 && !sp.asOf(i).Before(m.since) && p.tellsOf(sp, i, m.number) {
		return true
	}
	return slices.ContainsFunc(w.trails[s], func(id groupID) bool {
		sp, i := p.find(id)
		return i >= 0 && p.hasStill(sp, i, s)
	})
}

// tellsOf reports whether the peer has a group, and sees a number in it, or did before and was
// not told otherwise.
func (p *Peer) tellsOf(sp *space, i int, number repl.Member) bool {
	if sp.phase[i] == unknown {
		return false
	}
	h, _ := p.world.views.hides(p.viewHeld(sp, i), number)
	return !h.whole || sp.doubted.Has(i)
}
