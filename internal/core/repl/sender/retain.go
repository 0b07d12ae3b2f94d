package sender

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/encode"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
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
	if !w.state.Slots.Used.Has(int(s)) {
		return true
	}
	id := w.state.Slots.Group[s]
	v := w.state.Groups[id].Viewer(p.groups.Index)
	if v == nil {
		return true
	}
	sp, i := &p.groups.Private, v.Handle()
	if sp.Phase[i] != group.Present || sp.AwaitsResync.Has(i) {
		p.Hide(s)
		return true
	}
	sp.Hidden.Clear(i)
	if !sp.Retained.Has(i) {
		v.SetShown(false)
		sp.StartRetaining(i, w.state.Tick)
		sp.StructureDue.Set(i) // ends of members may wait
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
	if !w.state.Slots.Used.Has(int(s)) {
		return false
	}
	v := w.state.Groups[w.state.Slots.Group[s]].Viewer(p.groups.Index)
	return v != nil && p.groups.Private.Retained.Has(v.Handle()) && !p.groups.Private.Hidden.Has(v.Handle())
}

// hideRetained hides more of a group that the peer retains, and sends the removal of the parts that
// the peer has. It reports false when view.Max are in use.
func (p *Peer) hideRetained(i int, id ident.Group, hidden []view.Hidden) bool {
	w, sp := p.world, &p.groups.Private
	has := p.groups.SentView(sp, i)
	if len(hidden) == 0 && sp.ViewOf(i) == has {
		return true
	}
	gr, parts := &w.state.Groups[id], w.state.HiddenMembers(id, 0, hidden)
	var to, lacks []view.HiddenMember
	for k := range gr.Members {
		m := &gr.Members[k]
		h, _ := w.state.Views.Hidden(sp.ViewOf(i), m.Number)
		h.Number = m.Number
		for ; len(parts) > 0 && parts[0].Number == m.Number; parts = parts[1:] {
			h.Whole, h.Comps = h.Whole || parts[0].Whole, h.Comps.Or(parts[0].Comps)
		}
		t, l := w.state.NarrowRetained(m, has, h, sp.AsOf(i))
		to, lacks = t.AppendTo(to), l.AppendTo(lacks)
	}
	to, lacks = w.state.AppendHiddenLeavers(to, id, has), w.state.AppendHiddenLeavers(lacks, id, has)
	return p.setRetainedView(i, to, lacks)
}

// setRetainedView sets the view of a retained group, and makes the removal of the parts that it
// hides due, except for the parts that the peer lacks. It reports false when view.Max are in use.
func (p *Peer) setRetainedView(i int, to, lacks []view.HiddenMember) bool {
	w, sp := p.world, &p.groups.Private
	is, ok := w.state.Views.Intern(to)
	if !ok {
		return false
	}
	w.state.Views.AddUsers(is, 1)
	defer w.state.Views.AddUsers(is, -1)
	has, ok := w.state.Views.Intern(lacks)
	if !ok {
		return false
	}
	w.state.Views.AddUsers(has, 1)
	p.dropView(sp, i)
	if is != sp.ViewOf(i) {
		p.changeView(sp, i, is)
	}
	if has == is {
		w.state.Views.AddUsers(has, -1)
		return true
	}
	p.keep(i, has)
	sp.StructureDue.Set(i)
	return true
}

// A component that a peer lacks is not removed there when it is hidden later, or the removal would
// reveal that it came while the peer could not see it. Peer.kept, or the view of a retained group,
// notes such a component when it comes.

// noteInserted notes the components that come to an entity, at the peers that are not sent them.
func (w *World) noteInserted(s repl.Slot, inserted set.Mask) {
	id := w.state.Slots.Group[s]
	inserted = inserted.Without(w.state.Slots.Mask[s])
	if inserted.IsZero() || !w.state.Groups[id].Private {
		return
	}
	_, m := w.state.Member(s)
	for _, v := range w.state.Groups[id].Viewers {
		p := w.byIndex[v.Peer()]
		p.noteLacking(v.Handle(), m, inserted.Without(w.state.MayHaveHad(s, inserted, p.groups.Private.AsOf(v.Handle()))))
	}
	w.state.Slots.NoteInserts(s, inserted, w.state.Tick)
}

// noteInsertedBefore does so for the components that came in the present tick, before the peer began
// to retain the group or got another view of it.
func (p *Peer) noteInsertedBefore(i int, id ident.Group) {
	w, sp := p.world, &p.groups.Private
	if sp.AsOf(i) == w.state.Tick {
		return
	}
	for k := range w.state.Groups[id].Members {
		m := &w.state.Groups[id].Members[k]
		p.noteLacking(i, m, w.state.InsertedNow(m.Slot, sp.AsOf(i)))
	}
}

// noteLacking notes those of the given components of a member, which the peer lacks, that it is not
// sent: all of a group that it retains, and of another those that its view hides. When view.Max are
// in use it notes nothing: the components are removed, should they be hidden, as if the peer had
// them.
func (p *Peer) noteLacking(i int, m *group.Member, comps set.Mask) {
	w, sp := p.world, &p.groups.Private
	if comps.IsZero() || sp.AsOf(i).Before(m.Joined) {
		return
	}
	if sp.Retained.Has(i) {
		to, lacks, due := w.state.WithHiddenComponents(sp.ViewOf(i), m.Number, comps), w.state.WithHiddenComponents(p.groups.SentView(sp, i), m.Number, comps), sp.StructureDue.Has(i)
		if p.setRetainedView(i, to, lacks); !due {
			sp.StructureDue.Clear(i)
		}
		return
	}
	has, ok := p.groups.SentViews[int32(i)]
	if !ok {
		return
	}
	if h, _ := w.state.Views.Hidden(sp.ViewOf(i), m.Number); !h.Whole {
		comps = comps.And(h.Comps)
	}
	if is, ok := w.state.Views.Intern(w.state.WithHiddenComponents(has, m.Number, comps)); ok && is != has {
		w.state.Views.AddUsers(is, 1)
		w.state.Views.AddUsers(has, -1)
		p.keep(i, is)
	}
}

// keepView notes the view of a group that the peer has before it gets another. The peer has it
// until the group is sent again in full, which may never happen.
func (p *Peer) keepView(sp *group.Space, i int) {
	if _, ok := p.groups.SentViews[int32(i)]; ok || sp == &p.groups.Public {
		return
	}
	p.state.Views.AddUsers(sp.ViewOf(i), 1)
	p.keep(i, sp.ViewOf(i))
}

// keep notes a view that is in use.
func (p *Peer) keep(i int, v view.ID) {
	if p.groups.SentViews == nil {
		p.groups.SentViews = map[int32]view.ID{}
	}
	p.groups.SentViews[int32(i)] = v
}

// dropView forgets what keepView noted.
func (p *Peer) dropView(sp *group.Space, i int) {
	if len(p.groups.SentViews) == 0 || sp == &p.groups.Public {
		return
	}
	if v, ok := p.groups.SentViews[int32(i)]; ok {
		p.state.Views.AddUsers(v, -1)
		delete(p.groups.SentViews, int32(i))
	}
}

// retain makes the key of an action one of a group that the peer keeps.
func (p *Peer) retain(key *encode.Key, sp *group.Space, i int) {
	key.Base, key.Structure = p.state.Tick, sp.StructureAsOf[i]
	key.Retained, key.AsOf = true, sp.AsOf(i)
	key.View, key.NewView = p.groups.SentView(sp, i), sp.ViewOf(i)
}
