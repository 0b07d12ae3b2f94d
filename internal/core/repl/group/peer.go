package group

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/core/repl/view"
)

// Peer is the groups of a world as one peer sees them, and as it was sent them.
type Peer struct {
	Private   Space
	Public    Space
	State     *State
	Index     uint16            // its number among the peers
	ViewsHeld map[int32]view.ID // of private groups that the peer was sent with another view than its present one
}

func (p *Peer) Spaces() [2]*Space { return [2]*Space{&p.Public, &p.Private} }

// LocateHandle returns where a handle's state stands. Its index may be beyond the end.
func (p *Peer) LocateHandle(h repl.Handle) (sp *Space, i int) {
	if h.Private() {
		return &p.Private, int(h - repl.Private)
	}
	return &p.Public, int(h)
}

// Locate returns where a group's state stands; i is -1 if the peer has no handle of it.
func (p *Peer) Locate(id ident.Group) (sp *Space, i int) {
	gr := &p.State.Groups[id]
	if !gr.Private {
		return &p.Public, int(gr.Handle)
	}
	if v := gr.Viewer(p.Index); v != nil {
		return &p.Private, v.Handle()
	}
	return &p.Private, -1
}

// LocatePresent returns where the state of a handle stands that the peer was sent.
func (p *Peer) LocatePresent(h repl.Handle) (sp *Space, i int, ok bool) {
	sp, i = p.LocateHandle(h)
	return sp, i, i < len(sp.Phase) && sp.Phase[i] == Present
}

func (p *Peer) Shows(id ident.Group) bool {
	gr := &p.State.Groups[id]
	if !gr.Private {
		return true
	}
	v := gr.Viewer(p.Index)
	return v != nil && v.Shown()
}

// SeesEntity reports whether a peer may see an entity in the group that it is in.
func (p *Peer) SeesEntity(s repl.Slot) bool {
	id := p.State.Slots.Group[s]
	if !p.Shows(id) {
		return false
	}
	sp, i := p.Locate(id)
	h, _ := p.State.Views.Hidden(sp.ViewOf(i), p.State.Slots.NumberHere[s])
	return !h.Whole
}

// CanGet is finds, but excludes groups that are too large to be sent: an entity that moves to one
// does not hold up the group that it leaves.
func (p *Peer) CanGet(s repl.Slot) bool {
	return p.SeesEntity(s) && !p.State.Groups[p.State.Slots.Group[s]].Withheld
}

// StillHas reports whether a peer still has an entity in a group that the entity left.
func (p *Peer) StillHas(sp *Space, i int, s repl.Slot) bool {
	gr := &p.State.Groups[sp.Group(i)]
	for k := range gr.Left {
		if l := &gr.Left[k]; l.Slot == s && sp.HasLeaver(i, l) {
			return true
		}
	}
	return false
}

// FormerGroups notes the other groups in which the peer still has a member, if it may see it here.
// There can be several: the peer also has it, as far as that group's structure says, in a group
// where it may not see it.
func (p *Peer) FormerGroups(s repl.Slot, id ident.Group, note func(ident.Group)) {
	trail := p.State.Trails[s]
	if len(trail) == 0 || !p.SeesEntity(s) {
		return
	}
	for _, from := range trail {
		if sp, i := p.Locate(from); i >= 0 && from != id && p.StillHas(sp, i, s) {
			note(from)
		}
	}
}

// ViewHeld returns the view of a group that the peer has. It differs from viewOf while the peer has
// not been sent the newest view.
func (p *Peer) ViewHeld(sp *Space, i int) view.ID {
	if len(p.ViewsHeld) > 0 && sp == &p.Private {
		if v, ok := p.ViewsHeld[int32(i)]; ok {
			return v
		}
	}
	return sp.ViewOf(i)
}

// Has reports whether the peer may have an entity, in its group or in an earlier one.
func (p *Peer) Has(s repl.Slot) bool {
	_, m := p.State.Member(s)
	sp, i := p.Locate(p.State.Slots.Group[s])
	if i >= 0 && !sp.AsOf(i).Before(m.Joined) && p.HasNumber(sp, i, m.Number) {
		if sp.Phase[i] != Ending || m.Joined != sp.StructureAsOf[i] { // it was not sent what came in the tick of its end
			return true
		}
	}
	return slices.ContainsFunc(p.State.Trails[s], func(id ident.Group) bool {
		sp, i := p.Locate(id)
		return i >= 0 && p.StillHas(sp, i, s)
	})
}

// HasNumber reports whether the peer has a group and was sent a number in it, and not its removal.
func (p *Peer) HasNumber(sp *Space, i int, number repl.Member) bool {
	if sp.Phase[i] == Absent {
		return false
	}
	h, _ := p.State.Views.Hidden(p.ViewHeld(sp, i), number)
	return !h.Whole
}

// Reserve gives a group a handle at the peer, if it has none. It is not ok when no handle is left.
func (p *Peer) Reserve(id ident.Group) bool {
	w, sp := p.State, &p.Private
	gr := &w.Groups[id]
	if !gr.Private || gr.Viewer(p.Index) != nil {
		return true
	}
	h, ok := sp.IDs.Allocate(id)
	if !ok {
		return false
	}
	sp.Grow(sp.IDs.Len(), w.Tick)
	gr.Viewers = w.Lists.Append(gr.Viewers, ident.NewViewer(p.Index, h))
	return true
}

// Refer notes that the peer is sent a reference to an entity that was born in a group. If the group
// is private and hidden from the peer later, it keeps its handle, so that the reference is valid
// when it is shown again.
func (p *Peer) Refer(id ident.Group) {
	if sp, i := p.Locate(id); i >= 0 {
		sp.Referred.Set(i)
	}
}

// ID returns the network id of a slot that was born in a group with a handle at the peer.
func (p *Peer) ID(s repl.Slot) repl.ID {
	sp, i := p.Locate(p.State.Slots.Home[s])
	return repl.ID{Group: sp.First + repl.Handle(i), Generation: sp.IDs.Generation(i), Member: p.State.Slots.Number[s]}
}
