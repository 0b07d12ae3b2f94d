package sender

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/set"
)

// Show makes the private group of an entity visible to the peer. Public groups are visible to all.
// It reports false when the peer has no handle left for it.
func (p *Peer) Show(s repl.Slot) bool {
	if !p.state.Slots.Used.Has(int(s)) {
		return false
	}
	id := p.state.Slots.Group[s]
	gr := &p.state.Groups[id]
	if !gr.Private {
		return true
	}
	p.endVacatedBy(id)
	if !p.groups.ReserveHandle(id) {
		return false
	}
	v := gr.Viewer(p.groups.Index)
	if v.Shown() {
		return true
	}
	v.SetShown(true)
	i := v.Handle()
	p.groups.Private.StopRetaining(i)
	if p.groups.Private.Hidden.Has(i) {
		p.groups.Private.Hidden.Clear(i)
		p.groups.Private.NeedsFull.Set(i) // its changes meanwhile were not sent
	}
	p.groups.Private.StructureDue.Set(i)
	p.prediction.updatePredicted(&p.groups.Private, i)
	return true
}

// Hide makes the private group of an entity invisible to the peer.
func (p *Peer) Hide(s repl.Slot) {
	if !p.state.Slots.Used.Has(int(s)) {
		return
	}
	p.endVacatedBy(p.state.Slots.Group[s])
	gr := &p.state.Groups[p.state.Slots.Group[s]]
	v := gr.Viewer(p.groups.Index)
	if v == nil || !v.Shown() && !p.groups.Private.Retained.Has(v.Handle()) {
		return
	}
	sp, i := &p.groups.Private, v.Handle()
	v.SetShown(false)
	if sp.Phase[i] != group.Present {
		p.prediction.updatePredicted(sp, i)
		sp.StructureDue.Clear(i)
		p.joining.markNotSent(sp, i)
		if sp.Phase[i] == group.Absent { // else its end is in flight
			p.retire(i)
		}
		return
	}
	p.hideSent(i)
}

// hideSent makes the end of a private group due, which the peer was sent.
func (p *Peer) hideSent(i int) {
	sp := &p.groups.Private
	if !sp.Hidden.Has(i) {
		p.noteHidden(i)
	}
	sp.Hidden.Set(i)
	sp.StructureDue.Set(i)
	sp.Steady.Clear(i)
	p.prediction.updatePredicted(sp, i)
}

// noteHidden records the tick at which a group is hidden, if entities of it were orphaned before and the peer was not
// sent that: the peer keeps those, and despawns entities that are orphaned later.
func (p *Peer) noteHidden(i int) {
	delete(p.hiddenAt, int32(i))
	left := p.state.Groups[p.groups.Private.IDs.Groups[i]].Left
	if !slices.ContainsFunc(left, func(l group.Leaver) bool { return l.Fate == repl.Orphaned && p.groups.Private.HasLeaver(i, &l) }) {
		return
	}
	if p.hiddenAt == nil {
		p.hiddenAt = map[int32]entangle.Tick{}
	}
	p.hiddenAt[int32(i)] = p.state.Tick
}

// hiddenSince returns the tick at which a group was hidden whose end the peer was not sent. If no entity was orphaned
// before that tick, it returns an earlier one, which has the same effect.
func (p *Peer) hiddenSince(i int) entangle.Tick {
	if at, ok := p.hiddenAt[int32(i)]; ok {
		return at
	}
	return p.groups.Private.StructureAsOf[i]
}

// Sees reports whether the group of an entity is public, or shown to the peer.
func (p *Peer) Sees(s repl.Slot) bool {
	return p.state.Slots.Used.Has(int(s)) && p.groups.SeesGroup(p.state.Slots.Group[s])
}

// Number returns the index of this peer among the world's peers, from 0. It is reused when the peer
// is removed.
func (p *Peer) Number() int { return int(p.groups.Index) }

// SeenBy sets the numbers of the peers that are shown the private group of an entity. For a public
// group it reports true, and sets none: all peers see it.
func (w *World) SeenBy(s repl.Slot, peers *set.Bitset) (all bool) {
	if !w.state.Slots.Used.Has(int(s)) {
		return false
	}
	gr := &w.state.Groups[w.state.Slots.Group[s]]
	if !gr.Private {
		return true
	}
	peers.Grow(len(w.byIndex))
	for i := range gr.Viewers {
		if gr.Viewers[i].Shown() {
			peers.Set(int(gr.Viewers[i].Peer()))
		}
	}
	return false
}

// freeHandle frees the handle of an ended group.
func (p *Peer) freeHandle(i int) {
	sp := &p.groups.Private
	p.resetView(sp, i)
	used := sp.WasSent.Has(i) || sp.Referred.Has(i)
	sp.ResetHandle(i)
	sp.IDs.Free(i, used)
}

// resetView resets the view and the predicted set of a handle, so that its next group is fully visible and not predicted.
func (p *Peer) resetView(sp *group.Space, i int) {
	p.state.Views.AddUsers(sp.ViewOf(i), -1)
	if sp.Views != nil {
		sp.Views[i] = 0
	}
	p.prediction.forgetPredicted(sp, i)
	p.forgetSentView(sp, i)
	p.joining.markNotSent(sp, i)
}

// dropViewer removes the peer from the viewers of a group.
func (p *Peer) dropViewer(gr *group.Group) {
	rest := slices.DeleteFunc(gr.Viewers, func(v ident.Viewer) bool { return v.Peer() == p.groups.Index })
	gr.Viewers = p.state.ViewerLists.Shrink(rest)
}
