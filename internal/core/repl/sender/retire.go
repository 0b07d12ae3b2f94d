package sender

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/set"
)

// When a private group has ended at a peer, its handle is freed, whether the group ended or was hidden: the handles of
// other groups must not reveal which of the two happened, nor anything about hidden entities. A handle stays reserved
// while the peer has an entity that has the group as its home.

// retiring is the private handles that are to be freed once the peer has no entity that has their group as its home.
type retiring struct {
	set  set.Bitset
	next int // handle at which the next check continues
}

// retire schedules the handle of a group that has ended at this peer to be freed. That happens in a later tick, because
// half of a move may be sent in this one. A handle to which the peer was sent references stays reserved until the group
// ends.
func (vis *visibility) retire(i int) {
	vis.retiring.set.Grow(i + 1)
	if vis.groups.Private.IDs.Groups[i] != ident.NoGroup {
		vis.retiring.set.Set(i)
	}
}

// reserveHome gives the home of an entity a handle at the peer, if the home is a private group without one: the entity is
// sent in another group and needs a network id. The handle is freed when the peer has no native of the home any more.
func (vis *visibility) reserveHome(id ident.GroupIndex) {
	gr := &vis.state.Groups[id]
	if !gr.Private || gr.Viewer(vis.groups.Index) != nil || !vis.groups.ReserveHandle(id) {
		return
	}
	vis.retire(gr.Viewer(vis.groups.Index).Handle())
}

// maxRetiredChecks is the maximum number of handles that are checked in a tick.
const maxRetiredChecks = 64

// freeRetired checks the next retiring handles, and frees those that can be freed.
func (vis *visibility) freeRetired() {
	for range maxRetiredChecks {
		i := vis.retiring.set.Next(vis.retiring.next)
		if i < 0 {
			vis.retiring.next = 0
			return
		}
		vis.retiring.next = i + 1
		if vis.tryFreeRetired(i) {
			vis.retiring.set.Clear(i)
		}
	}
}

// tryFreeRetired frees a retiring handle if possible. done reports that the handle is free, or must not be freed any
// more.
func (vis *visibility) tryFreeRetired(i int) (done bool) {
	sp, id := &vis.groups.Private, vis.groups.Private.IDs.Groups[i]
	if id == ident.NoGroup {
		return true
	}
	gr := &vis.state.Groups[id]
	switch {
	case gr.Viewer(vis.groups.Index).Shown() && gr.Open || !sp.IsAbsent(i) || sp.Referred.Has(i):
		return true
	case !sp.StructureAsOf[i].Before(vis.messages.OldestTick(vis.state.Tick)):
		return false // the end may wait at the peer for an action in flight
	case vis.mayHaveNative(id):
		return false
	}
	vis.dropViewer(gr)
	vis.freeHandle(i)
	return true
}

// mayHaveNative reports whether the peer may have a native of a group in another group.
func (vis *visibility) mayHaveNative(id ident.GroupIndex) bool {
	return slices.ContainsFunc(vis.state.Groups[id].Left, func(l group.Leaver) bool {
		return vis.state.IsNative(l.Slot, id, l.Number) && vis.groups.MayHave(l.Slot)
	})
}

// Has reports whether the peer was sent an entity, and has not acknowledged its end. For an entity
// that is hidden from the peer it costs and returns the same as for one that does not exist.
func (vis *visibility) Has(s repl.Slot) bool {
	return vis.state.Slots.Used.Has(int(s)) && vis.groups.MayHave(s)
}
