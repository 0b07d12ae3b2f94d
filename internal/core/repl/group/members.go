package group

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/set"
)

// Position is a group and a member number in it.
type Position struct {
	Group  ident.GroupIndex
	Number repl.Member
	Reused bool // a former member had the number
}

// HasNoNewNumber reports whether the group of a place has no number left that was never used. A native needs such a number,
// because with a reused number its network id would be that of another entity.
func (st *State) HasNoNewNumber(at Place) bool {
	id, ok := st.named[at]
	return ok && st.Groups[id].nextNumber == repl.MaxMembers
}

// AllocatePosition finds or creates the group of a place and allocates a number in it. from is the present group of
// the entity, or ident.NoGroup. If the group of the place is full, the entity gets a group of one; if it is in one
// already, it stays there. ok is false if no public handle is free.
func (st *State) AllocatePosition(from ident.GroupIndex, at Place) (to Position, ok bool) {
	if at.Alone() {
		if from != ident.NoGroup && st.Groups[from].Place == at {
			return Position{Group: from}, true
		}
		to.Group, ok = st.openGroup(at)
		return to, ok
	}
	id, ok := st.named[at]
	if !ok {
		if id, ok = st.openGroup(at); !ok {
			return Position{}, false
		}
		st.named[at] = id
	}
	if to, ok = st.allocateNumber(id); !ok {
		st.Counts.MembersRefused++
		return st.AllocatePosition(from, Place{Private: at.Private})
	}
	return to, true
}

// AddEntity adds an entity and makes a position its home. AddMember must follow.
func (st *State) AddEntity(s repl.Slot, mask set.Mask, at Position) {
	t := &st.Slots
	t.grow(int(s) + 1)
	t.Used.Set(int(s))
	t.Home[s], t.Number[s], t.Mask[s] = at.Group, at.Number, mask
	t.Touched[s] = st.Tick
	for c := range st.Comps { // also absent ones: another entity may have used the slot
		t.changed[c][s], t.presenceChanged[c][s] = st.Tick, st.Tick
	}
	st.Groups[at.Group].natives++
}

// AddMember makes an entity a member of a group.
func (st *State) AddMember(s repl.Slot, at Position) {
	gr := &st.Groups[at.Group]
	i, _ := gr.SearchNumber(at.Number)
	gr.Members = slices.Insert(gr.Members, i, Member{Slot: s, Number: at.Number, WholeSince: st.Tick, Joined: st.Tick})
	st.Slots.Group[s], st.Slots.NumberHere[s] = at.Group, at.Number
	st.Rates.markStale(at.Group)
	st.markChanged(at.Group, true)
}

// RemoveMember removes an entity from its group, where it becomes a leaver. A group without members ends.
func (st *State) RemoveMember(s repl.Slot, fate repl.Fate) {
	id := st.Slots.Group[s]
	gr := &st.Groups[id]
	i, _ := gr.SearchNumber(st.Slots.NumberHere[s])
	m := gr.Members[i]
	gr.Members = slices.Delete(gr.Members, i, i+1)
	st.Rates.markStale(id)
	gr.Left = append(gr.Left, Leaver{Slot: s, Number: m.Number, Fate: fate, Joined: m.Joined, Left: st.Tick})
	st.Ended++
	st.markChanged(id, true)
	if len(gr.Members) == 0 {
		st.closeGroup(id)
	}
	st.scheduleTidy(id)
}

// RemoveEntity removes an entity from its group and from the world. fate is repl.Despawned or repl.Orphaned.
func (st *State) RemoveEntity(s repl.Slot, fate repl.Fate) {
	home := st.Slots.Home[s]
	for _, id := range st.Trails.Of[s] {
		st.setFate(s, id, fate)
	}
	if !st.IsNative(s, st.Slots.Group[s], st.Slots.NumberHere[s]) {
		st.setFate(s, home, fate) // where Native finds it, also without a trail
	}
	st.Trails.drop(s)
	st.Groups[home].natives--
	st.RemoveMember(s, fate)
	st.resetSlot(s)
	if home != st.Slots.Group[s] {
		st.scheduleFree(home)
	}
}

// resetSlot frees the state of the slot of a removed entity.
func (st *State) resetSlot(s repl.Slot) {
	st.Rates.forgetRate(s)
	st.Slots.Used.Clear(int(s))
	st.Slots.paused.Clear(int(s))
	st.Slots.Mask[s] = set.Mask{}
	gr := &st.Groups[st.Slots.Group[s]]
	gr.Left[len(gr.Left)-1].Slot = repl.NoSlot
}

// Pause freezes an entity. moveUnsent means that a peer which may see it in its group still has it in a former one:
// then it is not frozen until that peer has it here (IsFrozen).
func (st *State) Pause(s repl.Slot, moveUnsent bool) {
	_, m := st.Member(s)
	m.moveUnsent = moveUnsent
	st.Slots.paused.Set(int(s))
}

// Resume ends a pause: all components of the entity are sent.
func (st *State) Resume(s repl.Slot) {
	_, m := st.Member(s)
	m.moveUnsent, m.WholeSince = false, st.Tick
	st.Slots.paused.Clear(int(s))
	st.Slots.Touched[s] = st.Tick
	st.markChanged(st.Slots.Group[s], true)
}

// setFate sets the fate of the leavers of a group that are an entity which has now ended. A peer that was not sent the
// move out of the group is sent the end instead.
func (st *State) setFate(s repl.Slot, id ident.GroupIndex, fate repl.Fate) {
	gr := &st.Groups[id]
	for i := range gr.Left {
		if gr.Left[i].Slot == s {
			gr.Left[i].Slot, gr.Left[i].Fate = repl.NoSlot, fate
		}
	}
	st.scheduleTidy(id)
}

// Member returns the group of an entity, and the entity's entry in it. The slot must be in use.
func (st *State) Member(s repl.Slot) (*Group, *Member) {
	gr := &st.Groups[st.Slots.Group[s]]
	i, _ := gr.SearchNumber(st.Slots.NumberHere[s])
	return gr, &gr.Members[i]
}

// IsPaused reports whether an entity is paused.
func (st *State) IsPaused(s repl.Slot) bool { return st.Slots.paused.Has(int(s)) }

// allocateNumber allocates a member number: one that was never used, or else one whose former member every peer has
// acknowledged as gone.
func (st *State) allocateNumber(id ident.GroupIndex) (at Position, ok bool) {
	gr := &st.Groups[id]
	if gr.nextNumber < repl.MaxMembers {
		gr.nextNumber++
		return Position{Group: id, Number: gr.nextNumber - 1}, true
	}
	st.dropAckedLeavers(id)
	var taken [repl.MaxMembers]bool
	for i := range gr.Members {
		taken[gr.Members[i].Number] = true
	}
	for i := range gr.Left {
		taken[gr.Left[i].Number] = true
	}
	for n := range repl.Member(repl.MaxMembers) {
		if !taken[n] {
			return Position{Group: id, Number: n, Reused: true}, true
		}
	}
	return Position{}, false
}
