package sender

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
)

// ID returns the public network id of a slot, which is the same at every peer. ok is false for an
// unused slot, and for one that was born in a private group.
func (w *World) ID(s repl.Slot) (id repl.ID, ok bool) { return w.state.ID(s) }

// Slot returns the slot of a public network id.
func (w *World) Slot(id repl.ID) (s repl.Slot, ok bool) { return w.state.Slot(id) }

// PlaceOf returns the group of a slot. The place is zero if the entity is a group of one, also if
// the group that the game asked for was full. ok is false for an unused slot.
func (w *World) PlaceOf(s repl.Slot) (at group.Place, ok bool) {
	if !w.state.Slots.Used.Has(int(s)) {
		return group.Place{}, false
	}
	return w.state.Groups[w.state.Slots.Group[s]].Place, true
}

// ID returns the network id of a slot at this peer. For a slot that was born in a private group
// which the peer has not seen, it reserves a handle, so that the id is valid when the entity
// appears. ok is false for an unused slot.
func (p *Peer) ID(s repl.Slot) (id repl.ID, ok bool) {
	if !p.state.Slots.Used.Has(int(s)) || !p.groups.ReserveHandle(p.state.Slots.Home[s]) {
		return repl.ID{}, false
	}
	p.groups.MarkReferred(p.state.Slots.Home[s]) // the caller is about to send the id
	return p.groups.ID(s), true
}

// Named is ID without the reservation, for inspection. ok is false while the peer has no network id
// for the slot.
func (p *Peer) Named(s repl.Slot) (id repl.ID, ok bool) {
	if !p.state.Slots.Used.Has(int(s)) {
		return repl.ID{}, false
	}
	if _, i := p.groups.Locate(p.state.Slots.Home[s]); i < 0 {
		return repl.ID{}, false
	}
	return p.groups.ID(s), true
}

// Slot returns the slot of a network id at this peer.
func (p *Peer) Slot(id repl.ID) (s repl.Slot, ok bool) {
	sp, i := p.groups.LocateHandle(id.Group)
	home, ok := sp.IDs.Find(i, id.Generation)
	if !ok {
		return repl.NoSlot, false
	}
	return p.state.Native(home, id.Member)
}

// Group returns the handle of a slot's group at this peer. ok is false for an unused slot, and for
// a group that never had a handle at the peer.
func (p *Peer) Group(s repl.Slot) (h repl.Handle, ok bool) {
	if !p.state.Slots.Used.Has(int(s)) {
		return 0, false
	}
	sp, i := p.groups.Locate(p.state.Slots.Group[s])
	return sp.First + repl.Handle(max(i, 0)), i >= 0
}
