package sender

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
)

// ID returns the public network id of a slot, which is the same at every peer. ok is false for an
// unused slot, and for one that was born in a private group.
func (w *World) ID(s repl.Slot) (id repl.ID, ok bool) {
	t := &w.state.slots
	if !t.used.Has(int(s)) || w.state.groups[t.home[s]].private {
		return repl.ID{}, false
	}
	home := &w.state.groups[t.home[s]]
	return repl.ID{Group: home.handle, Generation: w.state.public.Generation(int(home.handle)), Member: t.number[s]}, true
}

// Slot returns the slot of a public network id.
func (w *World) Slot(id repl.ID) (s repl.Slot, ok bool) {
	home, ok := w.state.public.Find(int(id.Group), id.Generation) // private handles are above all of these
	if !ok {
		return repl.NoSlot, false
	}
	return w.state.native(home, id.Member)
}

// PlaceOf returns the group of a slot. The place is zero if the entity is a group of one, also if
// the group that the game asked for was full. ok is false for an unused slot.
func (w *World) PlaceOf(s repl.Slot) (at Place, ok bool) {
	if !w.state.slots.used.Has(int(s)) {
		return Place{}, false
	}
	return w.state.groups[w.state.slots.group[s]].place, true
}

// native returns the slot that was born in a group with a number.
func (w *State) native(id ident.Group, number repl.Member) (s repl.Slot, ok bool) {
	gr := &w.groups[id]
	if i, there := gr.searchNumber(number); there && w.slots.home[gr.members[i].slot] == id && w.slots.number[gr.members[i].slot] == number {
		return gr.members[i].slot, true
	}
	for _, l := range gr.left {
		if l.slot != repl.NoSlot && w.slots.home[l.slot] == id && w.slots.number[l.slot] == number {
			return l.slot, true
		}
	}
	return repl.NoSlot, false
}

// isNative reports whether a member has its network id from the group that it is in.
func (w *State) isNative(id ident.Group, m *member) bool {
	return w.slots.home[m.slot] == id && w.slots.number[m.slot] == m.number
}

// ID returns the network id of a slot at this peer. For a slot that was born in a private group
// which the peer has not seen, it reserves a handle, so that the id is valid when the entity
// appears. ok is false for an unused slot.
func (p *Peer) ID(s repl.Slot) (id repl.ID, ok bool) {
	if !p.state.slots.used.Has(int(s)) || !p.reserve(p.state.slots.home[s]) {
		return repl.ID{}, false
	}
	p.refer(p.state.slots.home[s]) // the caller is about to send the id
	return p.id(s), true
}

// refer notes that the peer is sent a reference to an entity that was born in a group. If the group
// is private and hidden from the peer later, it keeps its handle, so that the reference is valid
// when it is shown again.
func (p *Peer) refer(id ident.Group) {
	if sp, i := p.stateOf(id); i >= 0 {
		sp.referred.Set(i)
	}
}

// id is ID for a slot with a home group that has a handle here.
func (p *Peer) id(s repl.Slot) repl.ID {
	sp, i := p.stateOf(p.state.slots.home[s])
	return repl.ID{Group: sp.first + repl.Handle(i), Generation: sp.ids.Generation(i), Member: p.state.slots.number[s]}
}

// Named is ID without the reservation, for inspection. ok is false while the peer has no network id
// for the slot.
func (p *Peer) Named(s repl.Slot) (id repl.ID, ok bool) {
	if !p.state.slots.used.Has(int(s)) {
		return repl.ID{}, false
	}
	if _, i := p.stateOf(p.state.slots.home[s]); i < 0 {
		return repl.ID{}, false
	}
	return p.id(s), true
}

// Slot returns the slot of a network id at this peer.
func (p *Peer) Slot(id repl.ID) (s repl.Slot, ok bool) {
	sp, i := p.spaceOf(id.Group)
	home, ok := sp.ids.Find(i, id.Generation)
	if !ok {
		return repl.NoSlot, false
	}
	return p.state.native(home, id.Member)
}

// Group returns the handle of a slot's group at this peer. ok is false for an unused slot, and for
// a group that never had a handle at the peer.
func (p *Peer) Group(s repl.Slot) (h repl.Handle, ok bool) {
	if !p.state.slots.used.Has(int(s)) {
		return 0, false
	}
	sp, i := p.stateOf(p.state.slots.group[s])
	return sp.first + repl.Handle(max(i, 0)), i >= 0
}
