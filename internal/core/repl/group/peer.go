package group

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/core/repl/view"
)

// Peer is the state of all groups at one peer: which of them it may see, and what it was sent.
type Peer struct {
	Private   Space
	Public    Space
	State     *State
	Index     uint16            // among the peers of the world
	SentViews map[int32]view.ID // by private handle: the view that the peer was last sent, if the newest one differs
}

// Spaces returns both spaces of handles.
func (p *Peer) Spaces() [2]*Space { return [2]*Space{&p.Public, &p.Private} }

// LocateHandle returns the space and the index of a handle. The index may be beyond the end of the columns.
func (p *Peer) LocateHandle(h repl.Handle) (sp *Space, i int) {
	if h.Private() {
		return &p.Private, int(h - repl.Private)
	}
	return &p.Public, int(h)
}

// Locate returns the space and the index of a group. The index is -1 if the group has no handle at the peer.
func (p *Peer) Locate(id ident.GroupIndex) (sp *Space, i int) {
	gr := &p.State.Groups[id]
	if !gr.Private {
		return &p.Public, int(gr.Handle)
	}
	if v := gr.Viewer(p.Index); v != nil {
		return &p.Private, v.Handle()
	}
	return &p.Private, -1
}

// LocatePresent returns the space and the index of a handle. ok is false unless its group is present at the peer.
func (p *Peer) LocatePresent(h repl.Handle) (sp *Space, i int, ok bool) {
	sp, i = p.LocateHandle(h)
	return sp, i, sp.Present.Has(i)
}

// SeesGroup reports whether a group is public, or shown to the peer.
func (p *Peer) SeesGroup(id ident.GroupIndex) bool {
	gr := &p.State.Groups[id]
	if !gr.Private {
		return true
	}
	v := gr.Viewer(p.Index)
	return v != nil && v.Shown()
}

// SeesEntity reports whether the peer sees the group of an entity, and its view shows the entity.
func (p *Peer) SeesEntity(s repl.Slot) bool {
	id := p.State.Slots.Group[s]
	if !p.SeesGroup(id) {
		return false
	}
	sp, i := p.Locate(id)
	return !p.State.Views.HidesMember(sp.ViewOf(i), p.State.Slots.NumberHere[s])
}

// CanReceive is SeesEntity, except that it reports false for entities in withheld groups, which are too large to be
// sent: so an entity that moves to such a group does not block the group that it leaves.
func (p *Peer) CanReceive(s repl.Slot) bool {
	return p.SeesEntity(s) && !p.State.Groups[p.State.Slots.Group[s]].Withheld
}

// Loses reports whether a leaver of a group despawns at the peer, although it moved or was orphaned: the peer cannot
// receive it where it is, or was when it was orphaned.
func (p *Peer) Loses(id ident.GroupIndex, l *Leaver) bool {
	return l.Fate == repl.Moved && !p.CanReceive(l.Slot) || p.State.isDenied(id, l, p.Index)
}

// StillHas reports whether a peer still has an entity in a group that the entity left.
func (p *Peer) StillHas(sp *Space, i int, s repl.Slot) bool {
	_, has := p.FormerNumber(sp, i, s)
	return has
}

// FormerNumber returns the number of an entity in a group that it left, if a peer still has it there. It looks only at
// leavers of which the peer was not sent that they left: there may be thousands of others that another peer does not
// acknowledge.
func (p *Peer) FormerNumber(sp *Space, i int, s repl.Slot) (number repl.Member, has bool) {
	gr := &p.State.Groups[sp.Group(i)]
	for k := len(gr.Left) - 1; k >= 0 && sp.StructureAsOf[i].Before(gr.Left[k].Left); k-- {
		if l := &gr.Left[k]; l.Slot == s && sp.HasLeaver(i, l) {
			return l.Number, true
		}
	}
	return 0, false
}

// AppendFormerGroups appends the groups other than id, and than those with true in found, in which the peer still has an
// entity, if the peer may see the entity in its present group. There can be several, because the structure of a group that
// the peer was sent also has entities that its view hides.
func (p *Peer) AppendFormerGroups(out []ident.GroupIndex, s repl.Slot, id ident.GroupIndex, found map[ident.GroupIndex]bool) []ident.GroupIndex {
	trail := p.State.Trails.Of[s]
	if len(trail) == 0 || !p.SeesEntity(s) {
		return out
	}
	for _, from := range trail {
		if sp, i := p.Locate(from); i >= 0 && from != id && !found[from] && p.StillHas(sp, i, s) {
			out = append(out, from)
		}
	}
	return out
}

// SentView returns the view with which the peer was last sent a group. It differs from Space.ViewOf while the newest
// view is not sent.
func (p *Peer) SentView(sp *Space, i int) view.ID {
	if len(p.SentViews) > 0 && sp == &p.Private {
		if v, ok := p.SentViews[int32(i)]; ok {
			return v
		}
	}
	return sp.ViewOf(i)
}

// MayHave reports whether the peer may have an entity, in its present group or in a former one.
func (p *Peer) MayHave(s repl.Slot) bool {
	_, m := p.State.Member(s)
	sp, i := p.Locate(p.State.Slots.Group[s])
	if i >= 0 && !sp.IsAbsent(i) && !sp.MembersAsOf(i).Before(m.Joined) && !p.State.Views.HidesMember(p.SentView(sp, i), m.Number) {
		if !sp.Ending.Has(i) || m.Joined != sp.StructureAsOf[i] { // the end of a group does not send members that joined in its tick
			return true
		}
	}
	return slices.ContainsFunc(p.State.Trails.Of[s], func(id ident.GroupIndex) bool {
		sp, i := p.Locate(id)
		return i >= 0 && p.StillHas(sp, i, s)
	})
}

// ReserveHandle gives a private group a handle at the peer, unless it has one. It reports false if no handle is free.
func (p *Peer) ReserveHandle(id ident.GroupIndex) bool {
	st, sp := p.State, &p.Private
	gr := &st.Groups[id]
	if !gr.Private || gr.Viewer(p.Index) != nil {
		return true
	}
	h, ok := sp.IDs.Allocate(id)
	if !ok {
		return false
	}
	sp.Grow(sp.IDs.Len(), st.Tick)
	gr.Viewers = st.ViewerLists.Append(gr.Viewers, ident.NewViewer(p.Index, h))
	return true
}

// MarkReferred records that the peer is sent a reference to an entity that has a group as its home. If the group is private
// and is hidden from the peer later, it keeps its handle, so that the reference is valid when it is shown again.
func (p *Peer) MarkReferred(id ident.GroupIndex) {
	if sp, i := p.Locate(id); i >= 0 {
		sp.Referred.Set(i)
	}
}

// ID returns the network id of an entity at the peer. The home of the entity must have a handle there.
func (p *Peer) ID(s repl.Slot) repl.ID {
	sp, i := p.Locate(p.State.Slots.Home[s])
	return repl.ID{Group: sp.First + repl.Handle(i), Generation: sp.IDs.Generation(i), Member: p.State.Slots.Number[s]}
}

// Named returns the network id of an entity at the peer. ok is false while it has none.
func (p *Peer) Named(s repl.Slot) (id repl.ID, ok bool) {
	if !p.State.Slots.Used.Has(int(s)) {
		return repl.ID{}, false
	}
	if _, i := p.Locate(p.State.Slots.Home[s]); i < 0 {
		return repl.ID{}, false
	}
	return p.ID(s), true
}
