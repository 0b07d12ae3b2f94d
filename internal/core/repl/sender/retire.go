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
	list []int32
	set  set.Bitset // the handles in list
	next int        // index in list of the last one that was checked
}

// retire schedules the handle of a group that has ended at this peer to be freed. That happens in a later tick, because
// half of a move may be sent in this one. A handle to which the peer was sent references stays reserved until the group
// ends.
func (p *Peer) retire(i int) {
	p.retiring.set.Grow(i + 1)
	if p.groups.Private.IDs.Groups[i] != ident.NoGroup && !p.retiring.set.Has(i) {
		p.retiring.set.Set(i)
		p.retiring.list = append(p.retiring.list, int32(i))
	}
}

// reserveHome gives the home of an entity a handle at the peer, if the home is a private group without one: the entity is
// sent in another group and needs a network id. The handle is freed when the peer has no native of the home any more.
func (p *Peer) reserveHome(id ident.Group) {
	gr := &p.state.Groups[id]
	if !gr.Private || gr.Viewer(p.groups.Index) != nil || !p.groups.ReserveHandle(id) {
		return
	}
	p.retire(gr.Viewer(p.groups.Index).Handle())
}

// maxRetiredChecks is the maximum number of handles that are checked in a tick.
const maxRetiredChecks = 64

// freeRetired checks the next retiring handles, and frees those that can be freed. It frees none while the peer awaits a
// resync, because such a peer may still have what it acknowledged as removed.
func (p *Peer) freeRetired() {
	if len(p.retiring.list) == 0 || !p.groups.Public.AwaitsResync.Empty() || !p.groups.Private.AwaitsResync.Empty() {
		return
	}
	for range min(len(p.retiring.list), maxRetiredChecks) {
		if p.retiring.next++; p.retiring.next >= len(p.retiring.list) {
			p.retiring.next = 0
		}
		if !p.tryFreeRetired(int(p.retiring.list[p.retiring.next])) {
			continue
		}
		p.retiring.set.Clear(int(p.retiring.list[p.retiring.next]))
		last := len(p.retiring.list) - 1
		p.retiring.list[p.retiring.next] = p.retiring.list[last]
		if p.retiring.list = p.retiring.list[:last]; last == 0 {
			return
		}
	}
}

// tryFreeRetired frees a retiring handle if possible. done reports that the handle is free, or must not be freed any
// more.
func (p *Peer) tryFreeRetired(i int) (done bool) {
	sp, id := &p.groups.Private, p.groups.Private.IDs.Groups[i]
	if id == ident.NoGroup {
		return true
	}
	gr := &p.state.Groups[id]
	switch {
	case gr.Viewer(p.groups.Index).Shown() && gr.Open || sp.Phase[i] != group.Absent || sp.Referred.Has(i):
		return true
	case !sp.StructureAsOf[i].Before(p.actions.OldestTick(p.state.Tick)):
		return false // the end may wait at the peer for an action in flight
	case p.mayHaveNative(id):
		return false
	}
	p.dropViewer(gr)
	p.freeHandle(i)
	return true
}

// mayHaveNative reports whether the peer may have a native of a group in another group.
func (p *Peer) mayHaveNative(id ident.Group) bool {
	return slices.ContainsFunc(p.state.Groups[id].Left, func(l group.Leaver) bool {
		return l.Slot != repl.NoSlot && p.state.Slots.Home[l.Slot] == id && p.state.Slots.Number[l.Slot] == l.Number && p.groups.MayHave(l.Slot)
	})
}

// Has reports whether the peer was sent an entity, and has not acknowledged its end. For an entity
// that is hidden from the peer it costs and returns the same as for one that does not exist.
func (p *Peer) Has(s repl.Slot) bool {
	return p.state.Slots.Used.Has(int(s)) && p.groups.MayHave(s)
}
