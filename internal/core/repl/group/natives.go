package group

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
)

// Native returns the slot that was born in a group with a number.
func (w *State) Native(id ident.Group, number repl.Member) (s repl.Slot, ok bool) {
	gr := &w.Groups[id]
	if i, there := gr.SearchNumber(number); there && w.Slots.Home[gr.Members[i].Slot] == id && w.Slots.Number[gr.Members[i].Slot] == number {
		return gr.Members[i].Slot, true
	}
	for _, l := range gr.Left {
		if l.Slot != repl.NoSlot && w.Slots.Home[l.Slot] == id && w.Slots.Number[l.Slot] == number {
			return l.Slot, true
		}
	}
	return repl.NoSlot, false
}

// IsNative reports whether a member has its network id from the group that it is in.
func (w *State) IsNative(id ident.Group, m *Member) bool {
	return w.Slots.Home[m.Slot] == id && w.Slots.Number[m.Slot] == m.Number
}

// ID returns the public network id of a slot, which is the same at every peer. ok is false for an
// unused slot, and for one that was born in a private group.
func (w *State) ID(s repl.Slot) (id repl.ID, ok bool) {
	t := &w.Slots
	if !t.Used.Has(int(s)) || w.Groups[t.Home[s]].Private {
		return repl.ID{}, false
	}
	home := &w.Groups[t.Home[s]]
	return repl.ID{Group: home.Handle, Generation: w.Public.Generation(int(home.Handle)), Member: t.Number[s]}, true
}

// Slot returns the slot of a public network id.
func (w *State) Slot(id repl.ID) (s repl.Slot, ok bool) {
	home, ok := w.Public.Find(int(id.Group), id.Generation) // private handles are above all of these
	if !ok {
		return repl.NoSlot, false
	}
	return w.Native(home, id.Member)
}
