package sender

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/set"
)

// When a private group has ended at a peer its handle becomes free, whether the group is gone or
// hidden: the handles of other groups must not reveal which of the two happened, nor anything about
// hidden entities. A handle stays taken while the peer has an entity with a network id from that
// group.

// retiring is the private handles to be freed when the peer has no entity whose network id is from their group.
type retiring struct {
	list []int32
	set  set.Bitset // those of the list, to have each once
	next int        // index of the one that is checked next
}

// retire schedules the handle of a group that has ended at this peer to be freed in a later tick,
// because half of a move may be sent in this one. A handle that the peer knows references to stays
// taken until the group is gone.
func (p *Peer) retire(i int) {
	p.retiring.set.Grow(i + 1)
	if p.groups.Private.IDs.Groups[i] != ident.NoGroup && !p.retiring.set.Has(i) {
		p.retiring.set.Set(i)
		p.retiring.list = append(p.retiring.list, int32(i))
	}
}

// reserveName gives a group a handle at the peer for the network id of an entity that is sent in
// another group. It is free again when the peer has no entity with such an id any more.
func (p *Peer) reserveName(id ident.Group) {
	gr := &p.state.Groups[id]
	if !gr.Private || gr.Viewer(p.groups.Index) != nil || !p.groups.ReserveHandle(id) {
		return
	}
	p.retire(gr.Viewer(p.groups.Index).Handle())
}

// maxLooks bounds the handles that are checked in a tick.
const maxLooks = 64

// freeRetired frees the handles that can be freed, among those in turn. A peer that awaits a resync
// may have more than it acknowledged: until it is answered, no handle is freed.
func (p *Peer) freeRetired() {
	if len(p.retiring.list) == 0 || !p.groups.Public.AwaitsResync.Empty() || !p.groups.Private.AwaitsResync.Empty() {
		return
	}
	for range min(len(p.retiring.list), maxLooks) {
		if p.retiring.next++; p.retiring.next >= len(p.retiring.list) {
			p.retiring.next = 0
		}
		if !p.settleRetired(int(p.retiring.list[p.retiring.next])) {
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

// settleRetired reports whether a handle is free now, or need not be freed any more.
func (p *Peer) settleRetired(i int) (done bool) {
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
	case p.namesOne(id):
		return false
	}
	p.world.dropViewer(gr, p)
	p.unreserve(i)
	return true
}

// namesOne reports whether the peer may have an entity in another group with a network id from
// this one.
func (p *Peer) namesOne(id ident.Group) bool {
	w := p.world
	return slices.ContainsFunc(w.state.Groups[id].Left, func(l group.Leaver) bool {
		return l.Slot != repl.NoSlot && w.state.Slots.Home[l.Slot] == id && w.state.Slots.Number[l.Slot] == l.Number && p.groups.MayHave(l.Slot)
	})
}

// Has reports whether the peer was sent an entity, and has not acknowledged its end. For an entity
// that is hidden from the peer it costs and returns the same as for one that does not exist.
func (p *Peer) Has(s repl.Slot) bool {
	return p.state.Slots.Used.Has(int(s)) && p.groups.MayHave(s)
}
