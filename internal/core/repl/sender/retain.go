package sender

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/encode"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/core/repl/view"
	"github.com/entangle-ecs/entangle/internal/set"
)

// A private group that a peer may no longer see, and still keeps, is retained: it stays there as it was last sent. The
// peer is sent only removals: the end of the group, members that ended or became invisible, and components that are hidden
// from it. A member that moves to a group that is shown to the peer moves there, and one that moves elsewhere is despawned.
// A joining member is not sent, and becomes invisible if the peer saw it before.
//
// While a group is retained, and until it is sent again in full, Space.MembersAsOf may be earlier than StructureAsOf. The
// first is the tick as of which the peer has the members, and the second, while the group is retained, the tick up to which
// the peer was sent removals. The view of a retained group hides everything that the peer lacks or has to remove. While
// removals are due, group.Peer.SentViews has a view that hides only what the peer lacks.

// Retain makes the peer keep the private group of an entity as it was last sent, except for what hidden and the present
// view hide, which is removed. That lasts until Show, which makes the group due in full with the view that SetView then
// sets; until Hide, which removes it; or until it ends. Packets in flight still arrive, and lost ones are not resent.
// Retain acts like Hide if the peer was not sent the group, and does nothing for a public
// group. If view.Max views are in use, it acts like Hide and reports false.
func (vis *visibility) Retain(s repl.Slot, hidden ...view.Hidden) bool {
	if !vis.state.Slots.Used.Has(int(s)) {
		return true
	}
	id := vis.state.Slots.Group[s]
	v := vis.state.Groups[id].Viewer(vis.groups.Index)
	if v == nil {
		return true
	}
	sp, i := &vis.groups.Private, v.Handle()
	if !sp.Present.Has(i) {
		vis.Hide(s)
		return true
	}
	sp.Hidden.Clear(i)
	if !sp.Retained.Has(i) {
		vis.recordRetained(i, id)
		v.SetShown(false)
		sp.StartRetaining(i)
		sp.StructureDue.Set(i) // removals of members may be unsent
		vis.prediction.updatePredicted(sp, i)
		vis.noteEarlierInserts(i, id)
	}
	if !vis.hideRetained(i, id, hidden) {
		vis.Hide(s)
		return false
	}
	return true
}

// Retains reports whether the peer retains the group of an entity.
func (vis *visibility) Retains(s repl.Slot) bool {
	if !vis.state.Slots.Used.Has(int(s)) {
		return false
	}
	v := vis.state.Groups[vis.state.Slots.Group[s]].Viewer(vis.groups.Index)
	return v != nil && vis.groups.Private.Retained.Has(v.Handle()) && !vis.groups.Private.Hidden.Has(v.Handle())
}

// hideRetained hides more of a retained group, and makes the removal of what the peer has of that due. It reports false if
// view.Max views are in use.
func (vis *visibility) hideRetained(i int, id ident.GroupIndex, hidden []view.Hidden) bool {
	sp := &vis.groups.Private
	has := vis.groups.SentView(sp, i)
	if len(hidden) == 0 && sp.ViewOf(i) == has {
		return true
	}
	gr, parts := &vis.state.Groups[id], vis.state.HiddenMembers(id, 0, hidden)
	var to, lacks []view.HiddenMember
	for k := range gr.Members {
		m := &gr.Members[k]
		h, _ := vis.state.Views.Hidden(sp.ViewOf(i), m.Number)
		h.Number = m.Number
		for ; len(parts) > 0 && parts[0].Number == m.Number; parts = parts[1:] {
			h.Whole, h.Comps = h.Whole || parts[0].Whole, h.Comps.Or(parts[0].Comps)
		}
		t, l := vis.state.NarrowRetained(m, has, h, sp.MembersAsOf(i))
		to, lacks = t.AppendTo(to), l.AppendTo(lacks)
	}
	to, lacks = vis.state.AppendHiddenLeavers(to, id, has), vis.state.AppendHiddenLeavers(lacks, id, has)
	return vis.setRetainedView(i, to, lacks)
}

// setRetainedView sets the view of a retained group to one that hides to, and makes the removal of that due, except for
// what the peer lacks. It reports false if view.Max views are in use.
func (vis *visibility) setRetainedView(i int, to, lacks []view.HiddenMember) bool {
	sp := &vis.groups.Private
	is, ok := vis.state.Views.Intern(to)
	if !ok {
		return false
	}
	vis.state.Views.AddUsers(is, 1)
	defer vis.state.Views.AddUsers(is, -1)
	has, ok := vis.state.Views.Intern(lacks)
	if !ok {
		return false
	}
	if has == is {
		vis.forgetSentView(sp, i)
	} else {
		vis.setSentView(i, has)
		sp.StructureDue.Set(i)
	}
	if is != sp.ViewOf(i) {
		vis.changeView(sp, i, is)
	}
	return true
}

// A component that a peer lacks is not removed there when it is hidden later, because the removal would reveal that it was
// added while the peer could not see it. So the view in SentViews, or that of a retained group, hides such a component
// from the tick in which it is added.

// noteInserts records components that are added to an entity, at the peers that are not sent them.
func (w *World) noteInserts(s repl.Slot, inserted set.Mask) {
	id := w.state.Slots.Group[s]
	inserted = inserted.Without(w.state.Slots.Mask[s])
	if inserted.IsZero() || !w.state.Groups[id].Private {
		return
	}
	_, m := w.state.Member(s)
	for _, v := range w.state.Groups[id].Viewers {
		p := w.byIndex[v.Peer()]
		p.visibility.noteLacked(v.Handle(), m, inserted.Without(w.state.MayHaveHad(s, inserted, p.groups.Private.MembersAsOf(v.Handle()))))
	}
	w.state.Slots.NoteInserts(s, inserted, w.state.Tick)
}

// noteEarlierInserts does so for the components that were added earlier in this tick, before the peer started to retain
// the group or got another view of it.
func (vis *visibility) noteEarlierInserts(i int, id ident.GroupIndex) {
	sp := &vis.groups.Private
	if sp.MembersAsOf(i) == vis.state.Tick {
		return
	}
	for k := range vis.state.Groups[id].Members {
		m := &vis.state.Groups[id].Members[k]
		vis.noteLacked(i, m, vis.state.InsertedNow(m.Slot, sp.MembersAsOf(i)))
	}
}

// noteLacked records components of a member that the peer lacks and is not sent. Those are all given components if the
// group is retained, and otherwise those that its view hides. If view.Max views are in use it records nothing: if the
// components are hidden later, they are removed as if the peer had them.
func (vis *visibility) noteLacked(i int, m *group.Member, comps set.Mask) {
	sp := &vis.groups.Private
	if comps.IsZero() || sp.MembersAsOf(i).Before(m.Joined) {
		return
	}
	if sp.Retained.Has(i) {
		has := vis.groups.SentView(sp, i)
		vis.setRetainedView(i, vis.state.WithHiddenComponents(sp.ViewOf(i), m.Number, comps), vis.state.WithHiddenComponents(has, m.Number, comps))
		return
	}
	has, ok := vis.groups.SentViews[int32(i)]
	if !ok {
		return
	}
	if h, _ := vis.state.Views.Hidden(sp.ViewOf(i), m.Number); !h.Whole {
		comps = comps.And(h.Comps)
	}
	if is, ok := vis.state.Views.Intern(vis.state.WithHiddenComponents(has, m.Number, comps)); ok && is != has {
		vis.setSentView(i, is)
	}
}

// setSentView sets the SentViews entry of a private group. It is valid until the group is sent in full, which may never
// happen.
func (vis *visibility) setSentView(i int, v view.ID) {
	vis.state.Views.AddUsers(v, 1) // first, so that v is not freed with the former entry
	vis.forgetSentView(&vis.groups.Private, i)
	if vis.groups.SentViews == nil {
		vis.groups.SentViews = map[int32]view.ID{}
	}
	vis.groups.SentViews[int32(i)] = v
}

// forgetSentView removes the SentViews entry of a group, because the peer was sent the newest view or the group ended.
func (vis *visibility) forgetSentView(sp *group.Space, i int) {
	if v, ok := vis.groups.SentViews[int32(i)]; ok && sp == &vis.groups.Private {
		vis.state.Views.AddUsers(v, -1)
		delete(vis.groups.SentViews, int32(i))
	}
}

// setRetainedKey sets the fields of a key that an action of a retained group needs.
func (vis *visibility) setRetainedKey(key *encode.Key, sp *group.Space, i int) {
	key.Base, key.Structure = vis.state.Tick, sp.StructureAsOf[i]
	key.Retained, key.MembersAsOf = true, sp.MembersAsOf(i)
	key.View, key.NewView = vis.groups.SentView(sp, i), sp.ViewOf(i)
}
