package sender

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/core/repl/view"
	"github.com/entangle-ecs/entangle/internal/set"
)

// A private group that a peer may no longer see but keeps is retained: it stays there as it was
// last sent. The peer is sent only removals: the end of the group, a member that ended or became
// invisible, a component that is hidden from it. A member that moves to a group that the peer is
// shown is taken over there, one that moves elsewhere ends; see vacated.go for groups of one. A
// joining member is not sent, and becomes invisible if it was visible before.
//
// While a group is retained, and until it is sent again in full, space.sent is the tick of the
// members that the peer has. While it is retained, space.shaped is the tick up to which the peer
// was sent their ends. Its view hides all parts that the peer lacks or is to lose. While there are
// parts to lose, Peer.kept holds a view that hides only the parts that the peer lacks.

// Retain makes the peer keep the private group of an entity as it was last sent, without the hidden
// parts, and without those that its view hides already, sent or not. That lasts until Show, which
// sends it again in full with the view that SetView then sets; Hide, which removes it; or its end.
// Packets in flight still arrive, and lost ones are not resent. It acts like Hide where the peer was
// not sent the group or awaits a resync of it, and does nothing for a public group. When view.Max
// are in use it acts like Hide and reports false.
func (p *Peer) Retain(s repl.Slot, hidden ...view.Hidden) bool {
	w := p.world
	if !w.state.slots.used.Has(int(s)) {
		return true
	}
	id := w.state.slots.group[s]
	v := w.state.groups[id].viewer(p.seat)
	if v == nil {
		return true
	}
	sp, i := &p.private, v.Handle()
	if sp.phase[i] != known || sp.behind.Has(i) {
		p.Hide(s)
		return true
	}
	sp.hidden.Clear(i)
	if !sp.retained.Has(i) {
		v.SetShown(false)
		sp.freeze(i, w.state.tick)
		sp.shapeDue.Set(i) // ends of members may wait
		p.updatePredicted(sp, i)
		p.noteInsertedBefore(i, id)
	}
	if !p.hideRetained(i, id, hidden) {
		p.Hide(s)
		return false
	}
	return true
}

// Retains reports whether the peer keeps the group of an entity without being shown it.
func (p *Peer) Retains(s repl.Slot) bool {
	w := p.world
	if !w.state.slots.used.Has(int(s)) {
		return false
	}
	v := w.state.groups[w.state.slots.group[s]].viewer(p.seat)
	return v != nil && p.private.retained.Has(v.Handle()) && !p.private.hidden.Has(v.Handle())
}

// hideRetained hides more of a group that the peer retains, and sends the removal of the parts that
// the peer has. It reports false when view.Max are in use.
func (p *Peer) hideRetained(i int, id ident.Group, hidden []view.Hidden) bool {
	w, sp := p.world, &p.private
	has := p.viewHeld(sp, i)
	if len(hidden) == 0 && sp.viewOf(i) == has {
		return true
	}
	gr, parts := &w.state.groups[id], w.state.parts(id, 0, hidden)
	var to, lacks []view.Part
	for k := range gr.members {
		m := &gr.members[k]
		h, _ := w.state.views.Hides(sp.viewOf(i), m.number)
		h.Number = m.number
		for ; len(parts) > 0 && parts[0].Number == m.number; parts = parts[1:] {
			h.Whole, h.Comps = h.Whole || parts[0].Whole, h.Comps.Or(parts[0].Comps)
		}
		t, l := w.state.narrowRetained(m, has, h, sp.asOf(i))
		to, lacks = t.AppendTo(to), l.AppendTo(lacks)
	}
	to, lacks = w.state.withLeavers(to, id, has), w.state.withLeavers(lacks, id, has)
	return p.setRetainedView(i, to, lacks)
}

// narrowRetained hides more of a member of a retained group. It returns the parts that the new view
// hides, and those of them that the peer lacks already: the view hides only these until the peer
// was sent the removal of the others.
func (w *State) narrowRetained(m *member, has view.ID, h view.Part, asOf entangle.Tick) (to, lacks view.Part) {
	lacks, _ = w.views.Hides(has, m.number)
	lacks.Number = m.number
	if lacks.Whole {
		return lacks, lacks
	}
	if to = (view.Part{Number: m.number, Whole: h.Whole}); !h.Whole {
		to.Comps = lacks.Comps.Or(h.Comps)
	}
	switch {
	case asOf.Before(m.since): // the peer does not have the member
		return to, to
	case !h.Whole:
		lacks.Comps = to.Comps.Without(w.had(m.slot, h.Comps.Without(lacks.Comps), asOf))
	}
	return to, lacks
}

// had returns those of the given components that an entity may have had at a tick.
func (w *State) had(s repl.Slot, comps set.Mask, tick entangle.Tick) set.Mask {
	for c := comps.Next(0); c >= 0; c = comps.Next(c + 1) {
		if !w.slots.mask[s].Has(c) && !tick.Before(w.slots.shaped[c][s]) {
			comps.Clear(c)
		}
	}
	return comps
}

// withLeavers adds the parts of a view that hide whole members which have left the group since.
func (w *State) withLeavers(parts []view.Part, id ident.Group, v view.ID) []view.Part {
	if v == 0 {
		return parts
	}
	for k := range w.groups[id].left {
		if h, some := w.views.Hides(v, w.groups[id].left[k].number); some && h.Whole {
			parts = append(parts, h)
		}
	}
	slices.SortFunc(parts, view.ByNumber)
	return parts
}

// setRetainedView sets the view of a retained group, and makes the removal of the parts that it
// hides due, except for the parts that the peer lacks. It reports false when view.Max are in use.
func (p *Peer) setRetainedView(i int, to, lacks []view.Part) bool {
	w, sp := p.world, &p.private
	is, ok := w.state.views.Intern(to)
	if !ok {
		return false
	}
	w.state.views.Use(is, 1)
	defer w.state.views.Use(is, -1)
	has, ok := w.state.views.Intern(lacks)
	if !ok {
		return false
	}
	w.state.views.Use(has, 1)
	p.dropView(sp, i)
	if is != sp.viewOf(i) {
		p.changeView(sp, i, is)
	}
	if has == is {
		w.state.views.Use(has, -1)
		return true
	}
	p.keep(i, has)
	sp.shapeDue.Set(i)
	return true
}

// A component that a peer lacks is not removed there when it is hidden later, or the removal would
// reveal that it came while the peer could not see it. Peer.kept, or the view of a retained group,
// notes such a component when it comes.

// noteInserted notes the components that come to an entity, at the peers that are not sent them.
func (w *World) noteInserted(s repl.Slot, inserted set.Mask) {
	id := w.state.slots.group[s]
	inserted = inserted.Without(w.state.slots.mask[s])
	if inserted.IsZero() || !w.state.groups[id].private {
		return
	}
	_, m := w.state.member(s)
	for _, v := range w.state.groups[id].viewers {
		p := w.seats[v.Peer()]
		p.noteLacking(v.Handle(), m, inserted.Without(w.state.had(s, inserted, p.private.asOf(v.Handle()))))
	}
	w.state.slots.noteInserts(s, inserted, w.state.tick)
}

// noteInsertedBefore does so for the components that came in the present tick, before the peer began
// to retain the group or got another view of it.
func (p *Peer) noteInsertedBefore(i int, id ident.Group) {
	w, sp := p.world, &p.private
	if sp.asOf(i) == w.state.tick {
		return
	}
	for k := range w.state.groups[id].members {
		m := &w.state.groups[id].members[k]
		p.noteLacking(i, m, w.state.insertedAfter(m.slot, sp.asOf(i)))
	}
}

// insertedAfter returns the components that came to an entity in the present tick, and that it
// lacked at an earlier one.
func (w *State) insertedAfter(s repl.Slot, tick entangle.Tick) (lacks set.Mask) {
	for n := w.slots.last[s]; n != 0; n = w.slots.inserts[n-1].next {
		if in := &w.slots.inserts[n-1]; !tick.Before(in.since) {
			lacks.Set(int(in.comp))
		}
	}
	return lacks
}

// noteLacking notes those of the given components of a member, which the peer lacks, that it is not
// sent: all of a group that it retains, and of another those that its view hides. When view.Max are
// in use it notes nothing: the components are removed, should they be hidden, as if the peer had
// them.
func (p *Peer) noteLacking(i int, m *member, comps set.Mask) {
	w, sp := p.world, &p.private
	if comps.IsZero() || sp.asOf(i).Before(m.since) {
		return
	}
	if sp.retained.Has(i) {
		to, lacks, due := w.state.with(sp.viewOf(i), m.number, comps), w.state.with(p.viewHeld(sp, i), m.number, comps), sp.shapeDue.Has(i)
		if p.setRetainedView(i, to, lacks); !due {
			sp.shapeDue.Clear(i)
		}
		return
	}
	has, ok := p.kept[int32(i)]
	if !ok {
		return
	}
	if h, _ := w.state.views.Hides(sp.viewOf(i), m.number); !h.Whole {
		comps = comps.And(h.Comps)
	}
	if is, ok := w.state.views.Intern(w.state.with(has, m.number, comps)); ok && is != has {
		w.state.views.Use(is, 1)
		w.state.views.Use(has, -1)
		p.keep(i, is)
	}
}

// with returns the parts that a view hides, and components of a member.
func (w *State) with(v view.ID, n repl.Member, comps set.Mask) []view.Part {
	parts := slices.Clone(w.views.Parts(v))
	k, some := slices.BinarySearchFunc(parts, view.Part{Number: n}, view.ByNumber)
	switch {
	case comps.IsZero(), some && parts[k].Whole:
		return parts
	case !some:
		parts = slices.Insert(parts, k, view.Part{Number: n})
	}
	parts[k].Comps = parts[k].Comps.Or(comps)
	return parts
}

// asOf returns the tick of the group's members that the peer has, except for members with an end
// that it was sent since.
func (sp *space) asOf(i int) entangle.Tick {
	if sp.retained.Has(i) || sp.thawed.Has(i) {
		return sp.sent[i]
	}
	return sp.shaped[i]
}

// thaw stops retaining a group: it is sent again in full.
func (sp *space) thaw(i int) {
	if sp.retained.Has(i) {
		sp.retained.Clear(i)
		sp.thawed.Set(i)
		sp.doubted.Set(i)
	}
}

// viewHeld returns the view of a group that the peer has. It differs from viewOf while the peer has
// not been sent the newest view.
func (p *Peer) viewHeld(sp *space, i int) view.ID {
	if len(p.kept) > 0 && sp == &p.private {
		if v, ok := p.kept[int32(i)]; ok {
			return v
		}
	}
	return sp.viewOf(i)
}

// keepView notes the view of a group that the peer has before it gets another. The peer has it
// until the group is sent again in full, which may never happen.
func (p *Peer) keepView(sp *space, i int) {
	if _, ok := p.kept[int32(i)]; ok || sp == &p.public {
		return
	}
	p.state.views.Use(sp.viewOf(i), 1)
	p.keep(i, sp.viewOf(i))
}

// keep notes a view that is in use.
func (p *Peer) keep(i int, v view.ID) {
	if p.kept == nil {
		p.kept = map[int32]view.ID{}
	}
	p.kept[int32(i)] = v
}

// dropView forgets what keepView noted.
func (p *Peer) dropView(sp *space, i int) {
	if len(p.kept) == 0 || sp == &p.public {
		return
	}
	if v, ok := p.kept[int32(i)]; ok {
		p.state.views.Use(v, -1)
		delete(p.kept, int32(i))
	}
}

// retain makes the key of an action one of a group that the peer keeps.
func (p *Peer) retain(key *bodyKey, sp *space, i int) {
	key.base, key.shaped = p.state.tick, sp.shaped[i]
	key.retained, key.asOf = true, sp.asOf(i)
	key.view, key.to = p.viewHeld(sp, i), sp.viewOf(i)
}

// takenAway returns the parts of a member that the reader of the current body, of a retained group,
// has and is to lose.
func (w *World) takenAway(m *member) view.Part {
	was, _ := w.state.views.Hides(w.bodies.here.key.view, m.number)
	is, _ := w.state.views.Hides(w.bodies.here.key.to, m.number)
	return view.Part{Number: m.number, Whole: is.Whole && !was.Whole, Comps: is.Comps.Without(was.Comps)}
}

// encodeTakenAway writes an empty list of joining entities, and the components to remove for the
// reader of the body.
func (w *World) encodeTakenAway(id ident.Group) {
	var joins repl.Numbers
	var changes repl.Changes
	var none set.Mask
	out := &w.bodies.w
	out.Bool(false) // not one alone
	joins.End(out)
	for i := range w.state.groups[id].members {
		m := &w.state.groups[id].members[i]
		if gone := w.takenAway(m).Comps; !gone.IsZero() {
			w.bodies.here.news = true
			changes.Append(out, m.number, &none)
			out.Bool(true)
			w.sets.Append(out, &gone)
		}
	}
	if v := w.bodies.here.key.vacated(id); !v.lose.IsZero() {
		w.bodies.here.news = true
		changes.Append(out, 0, &none)
		out.Bool(true)
		w.sets.Append(out, &v.lose)
	}
	changes.End(out)
}
