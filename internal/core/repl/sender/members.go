package sender

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/set"
)

// seat is a number in a group.
type seat struct {
	group  ident.Group
	number repl.Member
	reused bool // another member had the number before
}

// isFull reports whether no new number is left in the group of a place. One that was used before would be
// another entity's id.
func (w *State) isFull(at Place) bool {
	id, ok := w.named[at]
	return ok && w.groups[id].numbers == repl.MaxMembers
}

// enter finds or makes the group of a place, and finds a free number in it. An entity that is in a
// group of its own, because the group of the place was full, stays there while it is. When no handle is left
// it is counted, and not ok.
func (w *State) enter(from ident.Group, at Place) (to seat, ok bool) {
	if at.Alone() {
		if from != ident.NoGroup && w.groups[from].place == at {
			return seat{group: from}, true
		}
		to.group, ok = w.openGroup(at)
		return to, ok
	}
	id, ok := w.named[at]
	if !ok {
		if id, ok = w.openGroup(at); !ok {
			return seat{}, false
		}
		w.named[at] = id
	}
	if to, ok = w.takeNumber(id); !ok {
		w.counts.MembersRefused++
		return w.enter(from, Place{Private: at.Private})
	}
	return to, true
}

// admit takes in an entity that gets its id from its first group.
func (w *State) admit(s repl.Slot, mask set.Mask, at seat) {
	t := &w.slots
	t.grow(int(s) + 1)
	t.used.Set(int(s))
	t.home[s], t.number[s], t.mask[s] = at.group, at.number, mask
	t.touched[s] = w.tick
	for c := range w.comps { // also those that it lacks: another entity may have used the slot
		t.changed[c][s], t.shaped[c][s] = w.tick, w.tick
	}
	w.groups[at.group].natives++
}

// join makes an entity a member.
func (w *State) join(s repl.Slot, at seat) {
	gr := &w.groups[at.group]
	i, _ := gr.searchNumber(at.number)
	gr.members = slices.Insert(gr.members, i, member{slot: s, number: at.number, joined: w.tick, since: w.tick})
	gr.active++
	w.slots.group[s], w.slots.numberHere[s] = at.group, at.number
	w.joinRate(at.group, s)
	w.touch(at.group, true)
}

// leave takes an entity out of its group. A group without members ends.
func (w *State) leave(s repl.Slot, fate repl.Fate) {
	id := w.slots.group[s]
	gr := &w.groups[id]
	i := gr.indexOfSlot(s)
	m := gr.members[i]
	if !w.rests(&m) {
		gr.active--
	}
	gr.members = slices.Delete(gr.members, i, i+1)
	w.leaveRate(id, s)
	gr.left = append(gr.left, leaver{slot: s, number: m.number, fate: fate, joined: m.since, left: w.tick})
	w.ended++
	w.touch(id, true)
	if len(gr.members) == 0 {
		w.closeGroup(id)
		w.tidyLater(id)
		return
	}
	w.tidy(id)
}

// end ends an entity, which leaves its group.
func (w *State) end(s repl.Slot, fate repl.Fate) {
	home := w.slots.home[s]
	for _, id := range w.trails[s] {
		w.settleFate(s, id, fate)
	}
	w.dropTrail(s)
	w.groups[home].natives--
	w.leave(s, fate)
	w.dropSlot(s)
	if home != w.slots.group[s] {
		w.freeLater(home)
	}
}

func (w *State) dropSlot(s repl.Slot) {
	w.rates.forgetRate(s)
	w.slots.used.Clear(int(s))
	w.slots.paused.Clear(int(s))
	w.slots.mask[s] = set.Mask{}
	gr := &w.groups[w.slots.group[s]]
	gr.left[len(gr.left)-1].slot = repl.NoSlot
}

// pause stops an entity from being sent. invalid: some peer that may see it in its group has it elsewhere.
func (w *State) pause(s repl.Slot, elsewhere bool) {
	gr, m := w.member(s)
	m.astray = elsewhere
	w.slots.paused.Set(int(s))
	if w.rests(m) {
		gr.active--
	}
}

// resume sends a paused entity again, whole.
func (w *State) resume(s repl.Slot) {
	gr, m := w.member(s)
	if w.rests(m) {
		gr.active++
	}
	m.astray, m.joined = false, w.tick
	w.slots.paused.Clear(int(s))
	w.slots.touched[s] = w.tick
	w.touch(w.slots.group[s], true)
}

// settleFate tells a group that an entity which had moved on from it has ended: a peer that has not
// received the move will receive the end.
func (w *State) settleFate(s repl.Slot, id ident.Group, fate repl.Fate) {
	gr := &w.groups[id]
	for i := range gr.left {
		if gr.left[i].slot == s {
			gr.left[i].slot, gr.left[i].fate = repl.NoSlot, fate
		}
	}
	w.tidyLater(id)
}

// member returns the group and the member of a slot that is replicated.
func (w *State) member(s repl.Slot) (*group, *member) {
	gr := &w.groups[w.slots.group[s]]
	return gr, &gr.members[gr.indexOfSlot(s)]
}

func (w *State) isPaused(s repl.Slot) bool { return w.slots.paused.Has(int(s)) }

// takeNumber returns a member number of a group that no peer may still associate with another
// entity.
func (w *State) takeNumber(id ident.Group) (at seat, ok bool) {
	gr := &w.groups[id]
	if gr.numbers < repl.MaxMembers {
		gr.numbers++
		return seat{group: id, number: gr.numbers - 1}, true
	}
	w.forgetLeavers(id)
	taken := &w.taken
	taken.Grow(repl.MaxMembers)
	taken.Reset()
	for i := range gr.members {
		taken.Set(int(gr.members[i].number))
	}
	for i := range gr.left {
		taken.Set(int(gr.left[i].number))
	}
	for n := range repl.Member(repl.MaxMembers) {
		if !taken.Has(int(n)) {
			return seat{group: id, number: n, reused: true}, true
		}
	}
	return seat{}, false
}
