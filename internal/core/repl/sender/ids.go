package sender

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
)

// ID returns the public network id of an entity, which is the same at every peer. ok is false for an unused slot, and
// for an entity that has a private group as its home.
func (w *World) ID(s repl.Slot) (id repl.ID, ok bool) { return w.state.ID(s) }

// Interval returns the number of ticks from one update of an entity's group to the next.
func (w *World) Interval(s repl.Slot) int { return w.state.Interval(s) }

// StateIntervals makes a component part of an update whenever Interval has changed: its value states that.
func (w *World) StateIntervals(comp int) { w.state.Rates.StateIntervals(comp) }

// PlaceOf returns the place of an entity's group. It has no name and no hierarchy if the entity is a group of one, for
// example because the group that the game wanted was full. ok is false for an unused slot.
func (w *World) PlaceOf(s repl.Slot) (at group.Place, ok bool) {
	if !w.state.Slots.Used.Has(int(s)) {
		return group.Place{}, false
	}
	return w.state.Groups[w.state.Slots.Group[s]].Place, true
}

// ID returns the network id of an entity at this peer, for a caller that sends the id. If the home of the entity is a
// private group without a handle at the peer, it reserves one, so that the id is valid when the entity appears. ok is
// false for an unused slot, and if no handle is free.
func (p *Peer) ID(s repl.Slot) (id repl.ID, ok bool) {
	if !p.state.Slots.Used.Has(int(s)) || !p.groups.ReserveHandle(p.state.Slots.Home[s]) {
		return repl.ID{}, false
	}
	p.groups.MarkReferred(p.state.Slots.Home[s]) // the caller is about to send the id
	return p.groups.ID(s), true
}

// Named is ID without reserving a handle, for inspection. ok is false while the entity has no network id at the peer.
func (p *Peer) Named(s repl.Slot) (id repl.ID, ok bool) { return p.groups.Named(s) }

// Slot returns the entity with a network id at this peer.
func (p *Peer) Slot(id repl.ID) (s repl.Slot, ok bool) {
	sp, i := p.groups.LocateHandle(id.Group)
	home, ok := sp.IDs.Find(i, id.Generation)
	if !ok {
		return repl.NoSlot, false
	}
	return p.state.Native(home, id.Member)
}

// Group returns the handle of an entity's group at this peer. ok is false for an unused slot, and for a group without a
// handle at the peer.
func (p *Peer) Group(s repl.Slot) (h repl.Handle, ok bool) {
	if !p.state.Slots.Used.Has(int(s)) {
		return 0, false
	}
	sp, i := p.groups.Locate(p.state.Slots.Group[s])
	return sp.First + repl.Handle(max(i, 0)), i >= 0
}
