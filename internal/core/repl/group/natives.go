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
