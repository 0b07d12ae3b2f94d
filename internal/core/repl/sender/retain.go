package sender

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// A private group that a peer is not shown any more, and keeps all the same, is retained: it
// stays there as it was last sent. What becomes of it is not told, but for ends: that of the
// group, and that of a member which the peer has. Who leaves it, for a group that the peer is
// shown, is taken over to there; for any other it goes out of sight, and that is the same
// bytes as its end. Who comes is not told, and if it was in sight before goes out of it.
//
// While a group is retained, space.sent is the tick of which the peer has its members, and
// space.shaped that up to which it was told their ends.

// Retain has the peer keep the private group of an entity as it was last sent, until Show,
// which has it sent again in full; Hide, which takes it away; or its end. What is under way
// arrives, and what of it is lost is not made up for. Where the peer was not sent the group, or
// lost the thread of it, it is Hide, and nothing if the group is public.
func (p *Peer) Retain(s repl.Slot) {
	w := p.world
	if !w.slots.used.Has(int(s)) {
		return
	}
	id := w.slots.group[s]
	v := w.groups[id].viewer(p)
	if v == nil {
		return
	}
	sp, i := &p.private, v.at()
	switch {
	case sp.phase[i] != known, sp.behind.Has(i):
		p.Hide(s)
	case sp.retained.Has(i):
		sp.hidden.Clear(i)
	default:
		v.show(false)
		sp.hidden.Clear(i)
		p.freeze(i, id)
	}
}

// Retains reports whether the peer keeps the group of an entity without being shown it.
func (p *Peer) Retains(s repl.Slot) bool {
	w := p.world
	if !w.slots.used.Has(int(s)) {
		return false
	}
	v := w.groups[w.slots.group[s]].viewer(p)
	return v != nil && p.private.retained.Has(v.at()) && !p.private.hidden.Has(v.at())
}

// Narrows reports whether a view would take away anything that the peer has of an entity's
// private group. A member that joined since the group was sent to the peer does not count, nor
// does a component that an entity lacks and has lacked since then.
func (p *Peer) Narrows(s repl.Slot, hidden ...Hidden) bool {
	w := p.world
	if !w.slots.used.Has(int(s)) {
		return false
	}
	id := w.slots.group[s]
	sp, i := p.find(id)
	if i < 0 || sp == &p.public {
		return false
	}
	has := sp.viewOf(i)
	if v, ok := p.kept[int32(i)]; ok {
		has = v
	}
	for _, h := range w.parts(id, has, hidden) {
		was, _ := w.views.hides(has, h.number)
		if !was.whole && w.had(id, h.number, h.comps.Without(was.comps), h.whole, sp.asOf(i)) {
			return true
		}
	}
	return false
}

// had reports whether a member of a group was there at a tick, and, unless the whole of it
// counts, may have had one of some components then.
func (w *World) had(id groupID, n repl.Member, comps repl.Mask, whole bool, tick entangle.Tick) bool {
	at, there := w.groups[id].find(n)
	if !there || tick.Before(w.groups[id].members[at].since) {
		return false
	}
	s := w.groups[id].members[at].slot
	for c := comps.Next(0); c >= 0 && !whole; c = comps.Next(c + 1) {
		whole = w.slots.mask[s].Has(c) || tick.Before(w.slots.shaped[c][s])
	}
	return whole
}

// freeze begins to retain a group that the peer was sent.
func (p *Peer) freeze(i int, id groupID) {
	w, sp := p.world, &p.private
	if sp.due.Has(i) {
		sp.forgo(i)
	}
	sp.doubted.Clear(i)
	sp.bulky.Clear(i)
	sp.steady.Clear(i)
	if sp.sent[i] != w.tick { // else it has the members of this tick
		sp.sent[i] = sp.shaped[i]
	}
	sp.retained.Set(i)
	sp.shapeDue.Clear(i)
	sp.stirRetained(i, &w.groups[id], w.tick-1)
	p.foresee(sp, i)
}

// stirRetained makes an end in a retained group due.
func (sp *space) stirRetained(i int, gr *group, now entangle.Tick) {
	for k := range gr.left {
		if sp.has(i, &gr.left[k]) {
			sp.shapeDue.Set(i)
			return
		}
	}
	if !gr.open {
		sp.shapeDue.Set(i)
	} else if !sp.shapeDue.Has(i) && sp.shaped[i].Before(now) {
		sp.shaped[i] = now
	}
}

// asOf returns the tick of which the peer has the members of a group, but for those whose
// end it was told since.
func (sp *space) asOf(i int) entangle.Tick {
	if sp.retained.Has(i) {
		return sp.sent[i]
	}
	return sp.shaped[i]
}

// thaw ends that a group is retained: it is sent again in full.
func (sp *space) thaw(i int) {
	if sp.retained.Has(i) {
		sp.retained.Clear(i)
		sp.doubted.Set(i)
	}
}

// keepView notes which view of a group the peer has, when it is to get another: it has that
// until the group is sent again in full, which may be never.
func (p *Peer) keepView(sp *space, i int) {
	if _, ok := p.kept[int32(i)]; ok || sp == &p.public {
		return
	}
	if p.kept == nil {
		p.kept = map[int32]View{}
	}
	p.world.views.use(sp.viewOf(i), 1)
	p.kept[int32(i)] = sp.viewOf(i)
}

// dropView forgets what keepView noted.
func (p *Peer) dropView(sp *space, i int) {
	if len(p.kept) == 0 || sp == &p.public {
		return
	}
	if v, ok := p.kept[int32(i)]; ok {
		p.world.views.use(v, -1)
		delete(p.kept, int32(i))
	}
}

// retain makes the key of an action one of a group that the peer keeps.
func (p *Peer) retain(key *bodyKey, sp *space, i int) {
	key.base, key.shaped = p.world.tick, sp.shaped[i]
	key.retained, key.asOf = true, sp.asOf(i)
	if v, ok := p.kept[int32(i)]; ok {
		key.view = v
	}
}

// encodeNobody writes that nobody joins and nothing changed.
func (w *World) encodeNobody() {
	var joins repl.Numbers
	var changes repl.Changes
	w.bodies.w.Bool(false) // not one alone
	joins.End(&w.bodies.w)
	changes.End(&w.bodies.w)
}
