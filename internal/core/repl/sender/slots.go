package sender

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/set"
)

// slots is the state of each replicated entity, in columns.
type slots struct {
	used   set.Bitset
	paused set.Bitset // their values don't change for the time being, whatever the source says
	mask   []set.Mask // of a slot that is not in use: empty

	home       []ident.Group // the group that it was born in, which names it for life
	number     []repl.Member // its number there, which no other entity has had
	group      []ident.Group // the group that it is in
	numberHere []repl.Member // its number there
	touched    []entangle.Tick

	changed ticks // value, or presence, of a component
	shaped  ticks // presence alone

	inserts []insert // in the present tick
	last    []int32  // of each slot: 1 + the index of its last insert in the present tick, or 0
}

// insert is a component that an entity lacked when the present tick began. The peers were not sent
// it: the entity may be hidden from them before the tick ends.
type insert struct {
	slot  repl.Slot
	comp  int32
	since entangle.Tick // the entity had lacked the component since that tick
	next  int32         // 1 + the index of the slot's insert before it, or 0
}

// ticks holds a tick for each component and slot: one column per component.
type ticks [][]entangle.Tick

func newSlots(comps int) slots {
	return slots{changed: make(ticks, comps), shaped: make(ticks, comps)}
}

func (t *slots) grow(n int) {
	for len(t.mask) < n {
		t.mask = append(t.mask, set.Mask{})
		t.home = append(t.home, 0)
		t.number = append(t.number, 0)
		t.group = append(t.group, 0)
		t.numberHere = append(t.numberHere, 0)
		t.touched = append(t.touched, 0)
		t.last = append(t.last, 0)
		for c := range t.changed {
			t.changed[c] = append(t.changed[c], 0)
			t.shaped[c] = append(t.shaped[c], 0)
		}
	}
	t.used.Grow(n)
	t.paused.Grow(n)
}

// change notes that a component's value changed in all these slots.
func (w *State) change(comp int, slots []repl.Slot) {
	t := &w.slots
	column := t.changed[comp]
	for _, s := range slots {
		if t.used.Has(int(s)) && !t.paused.Has(int(s)) {
			column[s], t.touched[s] = w.tick, w.tick
			w.touch(t.group[s], false)
		}
	}
}

// reshape notes that components of an entity appeared and vanished.
func (w *State) reshape(s repl.Slot, inserted, removed set.Mask) {
	t := &w.slots
	t.mask[s] = t.mask[s].Without(removed).Or(inserted)
	for c := inserted.Next(0); c >= 0; c = inserted.Next(c + 1) {
		t.changed[c][s], t.shaped[c][s] = w.tick, w.tick
	}
	for c := removed.Next(0); c >= 0; c = removed.Next(c + 1) {
		t.shaped[c][s] = w.tick
	}
	t.touched[s] = w.tick
	w.touch(t.group[s], true)
}

// noteInserts notes the components of an entity that it lacked when the tick began.
func (t *slots) noteInserts(s repl.Slot, inserted set.Mask, tick entangle.Tick) {
	for c := inserted.Next(0); c >= 0; c = inserted.Next(c + 1) {
		if since := t.shaped[c][s]; since != tick {
			t.inserts = append(t.inserts, insert{slot: s, comp: int32(c), since: since, next: t.last[s]})
			t.last[s] = int32(len(t.inserts))
		}
	}
}

// forgetInserts begins a tick.
func (t *slots) forgetInserts() {
	for i := range t.inserts {
		t.last[t.inserts[i].slot] = 0
	}
	t.inserts = t.inserts[:0]
}

// span is the ticks for which a body that was made for one of them says the same:
// from lo on and before hi.
type span struct{ lo, hi entangle.Tick }

// allTime is a span before anything narrows it. No base is older than half of it,
// or before and after would change places.
func allTime(now entangle.Tick) span { return span{now - 1<<30, now + 1} }

func (s span) contains(t entangle.Tick) bool { return !t.Before(s.lo) && t.Before(s.hi) }

// narrow leaves the ticks out for which a change would be told from the tick since
// and not from them, or the other way round. It reports whether it is told.
func (s *span) narrow(since, change entangle.Tick) bool {
	if since.Before(change) {
		if change.Before(s.hi) {
			s.hi = change
		}
		return true
	}
	if s.lo.Before(change) {
		s.lo = change
	}
	return false
}

// changedSince returns the components that are there and changed after base.
func (t *slots) changedSince(s repl.Slot, base entangle.Tick, same *span) (m set.Mask) {
	have := &t.mask[s]
	for c := have.Next(0); c >= 0; c = have.Next(c + 1) {
		if same.narrow(base, t.changed[c][s]) {
			m.Set(c)
		}
	}
	return m
}

// removedSince returns the components that are not there and went after a tick.
func (t *slots) removedSince(s repl.Slot, after entangle.Tick, same *span) (m set.Mask) {
	for c := range t.shaped {
		if !t.mask[s].Has(c) && same.narrow(after, t.shaped[c][s]) {
			m.Set(c)
		}
	}
	return m
}

// insertedSince reports whether one of the components of a set came after a tick.
func (t *slots) insertedSince(s repl.Slot, comps *set.Mask, after entangle.Tick, same *span) (some bool) {
	for c := comps.Next(0); c >= 0; c = comps.Next(c + 1) {
		some = same.narrow(after, t.shaped[c][s]) || some
	}
	return some
}
