package sender

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/flight"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/set"
)

// visibility is what one peer may see of the private groups, and what it keeps of those that it may not see any more.
type visibility struct {
	groups     *group.Peer
	state      *group.State
	joining    *joining
	prediction *prediction
	messages   *flight.Messages // tells whether the end of a group may still wait at the peer
	retiring   retiring
	actions    *actions // records what the peer loses
}

// Show makes the private group of an entity visible to the peer. Public groups are visible to all.
// It reports false when the peer has no handle left for it.
func (vis *visibility) Show(s repl.Slot) bool {
	if !vis.state.Slots.Used.Has(int(s)) {
		return false
	}
	id := vis.state.Slots.Group[s]
	gr := &vis.state.Groups[id]
	if !gr.Private {
		return true
	}
	if !vis.groups.ReserveHandle(id) {
		return false
	}
	v := gr.Viewer(vis.groups.Index)
	if v.Shown() {
		return true
	}
	v.SetShown(true)
	i := v.Handle()
	vis.groups.Private.StopRetaining(i)
	if vis.groups.Private.Hidden.Has(i) {
		vis.groups.Private.Hidden.Clear(i)
		vis.groups.Private.NeedsFull.Set(i) // its changes meanwhile were not sent
	}
	vis.groups.Private.StructureDue.Set(i)
	vis.prediction.updatePredicted(&vis.groups.Private, i)
	return true
}

// Hide makes the private group of an entity invisible to the peer.
func (vis *visibility) Hide(s repl.Slot) {
	if !vis.state.Slots.Used.Has(int(s)) {
		return
	}
	gr := &vis.state.Groups[vis.state.Slots.Group[s]]
	v := gr.Viewer(vis.groups.Index)
	if v == nil || !v.Shown() && !vis.groups.Private.Retained.Has(v.Handle()) {
		return
	}
	sp, i := &vis.groups.Private, v.Handle()
	v.SetShown(false)
	if !sp.Present.Has(i) {
		vis.prediction.updatePredicted(sp, i)
		sp.StructureDue.Clear(i)
		vis.joining.markNotSent(sp, i)
		if sp.IsAbsent(i) { // else its end is in flight
			vis.retire(i)
		}
		return
	}
	vis.hideSent(i)
}

// hideSent makes the end of a private group due, which the peer was sent.
func (vis *visibility) hideSent(i int) {
	sp := &vis.groups.Private
	vis.recordSeen(sp, i)
	sp.Hidden.Set(i)
	sp.StructureDue.Set(i)
	vis.prediction.updatePredicted(sp, i)
}

// Sees reports whether the group of an entity is public, or shown to the peer.
func (vis *visibility) Sees(s repl.Slot) bool {
	return vis.state.Slots.Used.Has(int(s)) && vis.groups.SeesGroup(vis.state.Slots.Group[s])
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
func (vis *visibility) freeHandle(i int) {
	sp := &vis.groups.Private
	vis.resetView(sp, i)
	used := sp.WasSent.Has(i) || sp.Referred.Has(i)
	sp.ResetHandle(i)
	sp.IDs.Free(i, used)
}

// resetView resets the view and the predicted set of a handle, so that its next group is fully visible and not predicted.
func (vis *visibility) resetView(sp *group.Space, i int) {
	vis.state.Views.AddUsers(sp.ViewOf(i), -1)
	if sp.Views != nil {
		sp.Views[i] = 0
		sp.Partial.Clear(i)
	}
	vis.prediction.forgetPredicted(sp, i)
	vis.forgetSentView(sp, i)
	vis.joining.markNotSent(sp, i)
}

// dropViewer removes the peer from the viewers of a group.
func (vis *visibility) dropViewer(gr *group.Group) {
	rest := slices.DeleteFunc(gr.Viewers, func(v ident.Viewer) bool { return v.Peer() == vis.groups.Index })
	gr.Viewers = vis.state.ViewerLists.Shrink(rest)
}
