package group

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/set"
)

// Position is a number in a group.
type Position struct {
	Group  ident.Group
	Number repl.Member
	Reused bool // another member had the number before
}

// IsFull reports whether no new number is left in the group of a place. One that was used before would be
// another entity's id.
func (w *State) IsFull(at Place) bool {
	id, ok := w.named[at]
	return ok && w.Groups[id].numbers == repl.MaxMembers
}

// Enter finds or makes the group of a place, and finds a free number in it. An entity that is in a
// group of its own, because the group of the place was full, stays there while it is. When no handle is left
// it is counted, and not ok.
func (w *State) Enter(from ident.Group, at Place) (to Position, ok bool) {
	if at.Alone() {
		if from != ident.NoGroup && w.Groups[from].Place == at {
			return Position{Group: from}, true
		}
		to.Group, ok = w.openGroup(at)
		return to, ok
	}
	id, ok := w.named[at]
	if !ok {
		if id, ok = w.openGroup(at); !ok {
			return Position{}, false
		}
		w.named[at] = id
	}
	if to, ok = w.takeNumber(id); !ok {
		w.Counts.MembersRefused++
		return w.Enter(from, Place{Private: at.Private})
	}
	return to, true
}

// Admit takes in an entity that gets its id from its first group.
func (w *State) Admit(s repl.Slot, mask set.Mask, at Position) {
	t := &w.Slots
	t.grow(int(s) + 1)
	t.Used.Set(int(s))
	t.Home[s], t.Number[s], t.Mask[s] = at.Group, at.Number, mask
	t.Touched[s] = w.Tick
	for c := range w.Comps { // also those that it lacks: another entity may have used the slot
		t.changed[c][s], t.shaped[c][s] = w.Tick, w.Tick
	}
	w.Groups[at.Group].natives++
}

// Join makes an entity a member.
func (w *State) Join(s repl.Slot, at Position) {
	gr := &w.Groups[at.Group]
	i, _ := gr.SearchNumber(at.Number)
	gr.Members = slices.Insert(gr.Members, i, Member{Slot: s, Number: at.Number, Whole: w.Tick, Joined: w.Tick})
	gr.active++
	w.Slots.Group[s], w.Slots.NumberHere[s] = at.Group, at.Number
	w.joinRate(at.Group, s)
	w.noteChange(at.Group, true)
}

// Leave takes an entity out of its group. A group without members ends.
func (w *State) Leave(s repl.Slot, fate repl.Fate) {
	id := w.Slots.Group[s]
	gr := &w.Groups[id]
	i := gr.indexOfSlot(s)
	m := gr.Members[i]
	if !w.Unchanged(&m) {
		gr.active--
	}
	gr.Members = slices.Delete(gr.Members, i, i+1)
	w.leaveRate(id, s)
	gr.Left = append(gr.Left, Leaver{Slot: s, Number: m.Number, Fate: fate, Joined: m.Joined, Left: w.Tick})
	w.Ended++
	w.noteChange(id, true)
	if len(gr.Members) == 0 {
		w.closeGroup(id)
		w.tidyLater(id)
		return
	}
	w.tidy(id)
}

// End ends an entity, which leaves its group.
func (w *State) End(s repl.Slot, fate repl.Fate) {
	home := w.Slots.Home[s]
	for _, id := range w.Trails[s] {
		w.setFate(s, id, fate)
	}
	w.dropTrail(s)
	w.Groups[home].natives--
	w.Leave(s, fate)
	w.dropSlot(s)
	if home != w.Slots.Group[s] {
		w.freeLater(home)
	}
}

func (w *State) dropSlot(s repl.Slot) {
	w.Rates.forgetRate(s)
	w.Slots.Used.Clear(int(s))
	w.Slots.paused.Clear(int(s))
	w.Slots.Mask[s] = set.Mask{}
	gr := &w.Groups[w.Slots.Group[s]]
	gr.Left[len(gr.Left)-1].Slot = repl.NoSlot
}

// Pause stops an entity from being sent. elsewhere: some peer that may see it in its group has it in another.
func (w *State) Pause(s repl.Slot, elsewhere bool) {
	gr, m := w.Member(s)
	m.movedUnacked = elsewhere
	w.Slots.paused.Set(int(s))
	if w.Unchanged(m) {
		gr.active--
	}
}

// Resume sends a paused entity again, whole.
func (w *State) Resume(s repl.Slot) {
	gr, m := w.Member(s)
	if w.Unchanged(m) {
		gr.active++
	}
	m.movedUnacked, m.Whole = false, w.Tick
	w.Slots.paused.Clear(int(s))
	w.Slots.Touched[s] = w.Tick
	w.noteChange(w.Slots.Group[s], true)
}

// setFate notes that an entity has ended which had moved on from a group: a peer that has not received the move
// will receive the end.
func (w *State) setFate(s repl.Slot, id ident.Group, fate repl.Fate) {
	gr := &w.Groups[id]
	for i := range gr.Left {
		if gr.Left[i].Slot == s {
			gr.Left[i].Slot, gr.Left[i].Fate = repl.NoSlot, fate
		}
	}
	w.tidyLater(id)
}

// Member returns the group and the member of a slot that is replicated.
func (w *State) Member(s repl.Slot) (*Group, *Member) {
	gr := &w.Groups[w.Slots.Group[s]]
	return gr, &gr.Members[gr.indexOfSlot(s)]
}

// IsPaused reports whether an entity is paused.
func (w *State) IsPaused(s repl.Slot) bool { return w.Slots.paused.Has(int(s)) }

// takeNumber returns a member number of a group that no peer may still associate with another
// entity.
func (w *State) takeNumber(id ident.Group) (at Position, ok bool) {
	gr := &w.Groups[id]
	if gr.numbers < repl.MaxMembers {
		gr.numbers++
		return Position{Group: id, Number: gr.numbers - 1}, true
	}
	w.forgetLeavers(id)
	taken := &w.taken
	taken.Grow(repl.MaxMembers)
	taken.Reset()
	for i := range gr.Members {
		taken.Set(int(gr.Members[i].Number))
	}
	for i := range gr.Left {
		taken.Set(int(gr.Left[i].Number))
	}
	for n := range repl.Member(repl.MaxMembers) {
		if !taken.Has(int(n)) {
			return Position{Group: id, Number: n, Reused: true}, true
		}
	}
	return Position{}, false
}
