package sender

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/set"
)

// Spawn takes in an entity with the given components, as a public group of its own.
func (w *World) Spawn(s repl.Slot, mask set.Mask) { w.SpawnAt(s, mask, Place{}) }

// SpawnAt takes in an entity with the given components. When no handle is left it is counted, and
// not replicated. When its group is full it is counted, and gets a group of its own.
func (w *World) SpawnAt(s repl.Slot, mask set.Mask, at Place) {
	if id, ok := w.named[at]; ok && w.groups[id].numbers == repl.MaxMembers {
		w.SpawnAt(s, mask, Place{Private: at.Private}) // its number in the group would be another entity's id
		w.Move(s, at)
		return
	}
	id, number, ok := w.enter(ident.NoGroup, at)
	if !ok {
		w.stats.GroupsRefused++
		return
	}
	t := &w.slots
	t.grow(int(s) + 1)
	t.used.Set(int(s))
	t.home[s], t.number[s], t.mask[s] = id, number, mask
	t.touched[s] = w.tick
	for c := range w.comps { // also those that it lacks: another entity may have used the slot
		t.changed[c][s], t.shaped[c][s] = w.tick, w.tick
	}
	w.groups[id].natives++
	w.join(s, id, number)
}

// enter finds or makes the group of a place, and finds a free number in it. An entity that is in a
// group of its own, because the group of the place was full, stays there while it is.
func (w *World) enter(from ident.Group, at Place) (id ident.Group, number repl.Member, ok bool) {
	if at.Alone() {
		if from != ident.NoGroup && w.groups[from].place == at {
			return from, 0, true
		}
		id, ok = w.openGroup(at)
		return id, 0, ok
	}
	id, ok = w.named[at]
	if !ok {
		if id, ok = w.openGroup(at); !ok {
			return 0, 0, false
		}
		w.named[at] = id
	}
	if number, ok = w.takeNumber(id); !ok {
		w.stats.MembersRefused++
		return w.enter(from, Place{Private: at.Private})
	}
	return id, number, true
}

// join makes an entity a member.
func (w *World) join(s repl.Slot, id ident.Group, number repl.Member) {
	gr := &w.groups[id]
	i, _ := gr.searchNumber(number)
	gr.members = slices.Insert(gr.members, i, member{slot: s, number: number, joined: w.tick, since: w.tick})
	gr.active++
	w.slots.group[s], w.slots.numberHere[s] = id, number
	w.joinRate(id, s)
	w.touch(id, true)
	w.updatePredictions(s, id)
}

// leave takes an entity out of its group. A group without members ends.
func (w *World) leave(s repl.Slot, fate repl.Fate) {
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
	w.ends++
	w.touch(id, true)
	w.updatePredictions(s, id)
	if len(gr.members) == 0 {
		w.closeGroup(id)
		w.tidyLater(id)
		return
	}
	w.tidy(id)
}

// Despawn ends the replication of an entity that was removed: the peers despawn it.
func (w *World) Despawn(s repl.Slot) { w.end(s, repl.Despawned) }

// Abandon ends the replication of an entity, and the peers are sent nothing more of it: they keep
// it as it was last sent.
func (w *World) Abandon(s repl.Slot) { w.end(s, repl.Orphaned) }

func (w *World) end(s repl.Slot, fate repl.Fate) {
	t := &w.slots
	if !t.used.Has(int(s)) {
		return // it was never taken in
	}
	home := t.home[s]
	w.endVacated(s)
	for _, id := range w.trails[s] {
		w.settleFate(s, id, fate)
	}
	w.dropTrail(s)
	w.groups[home].natives--
	w.leave(s, fate)
	w.dropSlot(s)
	if home != t.group[s] {
		w.freeLater(home)
	}
}

func (w *World) dropSlot(s repl.Slot) {
	w.rates.forgetRate(s)
	w.predictions.forgetEntity(s)
	w.slots.used.Clear(int(s))
	w.slots.paused.Clear(int(s))
	w.slots.mask[s] = set.Mask{}
	gr := &w.groups[w.slots.group[s]]
	gr.left[len(gr.left)-1].slot = repl.NoSlot
}

// settleFate tells a group that an entity which had moved on from it has ended: a peer that has not
// received the move will receive the end.
func (w *World) settleFate(s repl.Slot, id ident.Group, fate repl.Fate) {
	gr := &w.groups[id]
	for i := range gr.left {
		if gr.left[i].slot == s {
			gr.left[i].slot, gr.left[i].fate = repl.NoSlot, fate
		}
	}
	w.tidyLater(id)
}

// Move moves an entity to another group without changing it. It keeps its network id and its
// replicas. A paused entity stays where it is: its present state is not sent.
func (w *World) Move(s repl.Slot, to Place) {
	t := &w.slots
	if !t.used.Has(int(s)) || w.groups[t.group[s]].place == to || w.isPaused(s) {
		return
	}
	from := t.group[s]
	id, number, ok := w.enter(from, to)
	if !ok {
		w.stats.GroupsRefused++
		return
	}
	if id == from {
		return
	}
	w.endVacated(s)
	w.leave(s, repl.Moved)
	w.join(s, id, number)
	w.follow(s, from)
}

// Pause stops an entity from being sent: the peers keep it as it was last sent. From now on the
// source may be asked for its values from before the pause.
func (w *World) Pause(s repl.Slot) {
	if !w.slots.used.Has(int(s)) || w.isPaused(s) {
		return
	}
	gr, m := w.member(s)
	m.astray = w.unheard(s)
	w.slots.paused.Set(int(s))
	if w.rests(m) {
		gr.active--
	}
	w.updatePredictions(s, w.slots.group[s])
}

// unheard reports whether a peer that may see an entity in its group has not yet acknowledged that
// it left another group, or that it left this one and came back.
func (w *World) unheard(s repl.Slot) (some bool) {
	for _, p := range w.peers {
		p.cameFrom(s, ident.NoGroup, func(ident.Group) { some = true })
		some = some || p.keepsMoved(s)
	}
	return some
}

// Resume sends an entity again, whole.
func (w *World) Resume(s repl.Slot) {
	if !w.slots.used.Has(int(s)) || !w.isPaused(s) {
		return
	}
	gr, m := w.member(s)
	if w.rests(m) {
		gr.active++
	}
	m.astray, m.joined = false, w.tick
	w.slots.paused.Clear(int(s))
	w.slots.touched[s] = w.tick
	w.touch(w.slots.group[s], true)
	w.updatePredictions(s, w.slots.group[s])
}

// member returns the group and the member of a slot that is replicated.
func (w *World) member(s repl.Slot) (*group, *member) {
	gr := &w.groups[w.slots.group[s]]
	return gr, &gr.members[gr.indexOfSlot(s)]
}

func (w *World) isPaused(s repl.Slot) bool { return w.slots.paused.Has(int(s)) }

// takeNumber returns a member number of a group that no peer may still associate with another
// entity.
func (w *World) takeNumber(id ident.Group) (repl.Member, bool) {
	gr := &w.groups[id]
	if gr.numbers < repl.MaxMembers {
		gr.numbers++
		return gr.numbers - 1, true
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
			w.unhide(id, n)
			return n, true
		}
	}
	return 0, false
}
