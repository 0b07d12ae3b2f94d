package group

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
)

// Native returns the slot that was born in a group with a number.
func (st *State) Native(id ident.GroupIndex, number repl.Member) (s repl.Slot, ok bool) {
	gr := &st.Groups[id]
	if i, there := gr.SearchNumber(number); there && st.IsNative(gr.Members[i].Slot, id, number) {
		return gr.Members[i].Slot, true
	}
	for _, l := range gr.Left {
		if st.IsNative(l.Slot, id, number) {
			return l.Slot, true
		}
	}
	return repl.NoSlot, false
}

// IsNative reports whether an entity was born in a group with a number. For repl.NoSlot it reports false.
func (st *State) IsNative(s repl.Slot, id ident.GroupIndex, number repl.Member) bool {
	return s != repl.NoSlot && st.Slots.Home[s] == id && st.Slots.Number[s] == number
}

// ID returns the public network id of a slot, which is the same at every peer. ok is false for an
// unused slot, and for one that was born in a private group.
func (st *State) ID(s repl.Slot) (id repl.ID, ok bool) {
	t := &st.Slots
	if !t.Used.Has(int(s)) || st.Groups[t.Home[s]].Private {
		return repl.ID{}, false
	}
	home := &st.Groups[t.Home[s]]
	return repl.ID{Group: home.Handle, Generation: st.Public.Generation(int(home.Handle)), Member: t.Number[s]}, true
}
