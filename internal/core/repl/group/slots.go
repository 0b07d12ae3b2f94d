package group

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/set"
)

// slots is the state of each replicated entity, in columns.
type slots struct {
	Used   set.Bitset
	paused set.Bitset // their values don't change for the time being, whatever the source says
	Mask   []set.Mask // of a slot that is not in use: empty

	Home       []ident.GroupIndex // the group that it was born in, which names it for life
	Number     []repl.Member      // its number there, which no other entity has had
	Group      []ident.GroupIndex // the group that it is in
	NumberHere []repl.Member      // its number there
	Touched    []entangle.Tick

	changed         ticks // value, or presence, of a component
	presenceChanged ticks // presence alone

	inserts    []insert // in the present tick
	lastInsert []int32  // of each slot: 1 + the index of its last insert in the present tick, or 0
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
	return slots{changed: make(ticks, comps), presenceChanged: make(ticks, comps)}
}

func (t *slots) grow(n int) {
	for len(t.Mask) < n {
		t.Mask = append(t.Mask, set.Mask{})
		t.Home = append(t.Home, 0)
		t.Number = append(t.Number, 0)
		t.Group = append(t.Group, 0)
		t.NumberHere = append(t.NumberHere, 0)
		t.Touched = append(t.Touched, 0)
		t.lastInsert = append(t.lastInsert, 0)
		for c := range t.changed {
			t.changed[c] = append(t.changed[c], 0)
			t.presenceChanged[c] = append(t.presenceChanged[c], 0)
		}
	}
	t.Used.Grow(n)
	t.paused.Grow(n)
}

// Change notes that a component's value changed in all these slots.
func (st *State) Change(comp int, slots []repl.Slot) {
	t := &st.Slots
	column := t.changed[comp]
	for _, s := range slots {
		if t.Used.Has(int(s)) && !t.paused.Has(int(s)) {
			column[s], t.Touched[s] = st.Tick, st.Tick
			st.markChanged(t.Group[s], false)
		}
	}
}

// Reshape notes that components of an entity appeared and vanished.
func (st *State) Reshape(s repl.Slot, inserted, removed set.Mask) {
	t := &st.Slots
	t.Mask[s] = t.Mask[s].Without(removed).Or(inserted)
	for c := inserted.Next(0); c >= 0; c = inserted.Next(c + 1) {
		t.changed[c][s], t.presenceChanged[c][s] = st.Tick, st.Tick
	}
	for c := removed.Next(0); c >= 0; c = removed.Next(c + 1) {
		t.presenceChanged[c][s] = st.Tick
	}
	t.Touched[s] = st.Tick
	st.markChanged(t.Group[s], true)
}

// NoteInserts notes the components of an entity that it lacked when the tick began.
func (t *slots) NoteInserts(s repl.Slot, inserted set.Mask, tick entangle.Tick) {
	for c := inserted.Next(0); c >= 0; c = inserted.Next(c + 1) {
		if since := t.presenceChanged[c][s]; since != tick {
			t.inserts = append(t.inserts, insert{slot: s, comp: int32(c), since: since, next: t.lastInsert[s]})
			t.lastInsert[s] = int32(len(t.inserts))
		}
	}
}

// forgetInserts begins a tick.
func (t *slots) forgetInserts() {
	for i := range t.inserts {
		t.lastInsert[t.inserts[i].slot] = 0
	}
	t.inserts = t.inserts[:0]
}

// Span is the baselines from which a body that was made for one of them has the same contents: from Lo on and
// before Hi.
type Span struct{ Lo, Hi entangle.Tick }

// AllTime is a span before anything narrows it. Ticks are compared within half of their range. So a change 2^31 ticks
// ago, 414 days at 60 Hz, counts as later than any baseline, and its value is sent with each update of its entity.
func AllTime(now entangle.Tick) Span { return Span{now - 1<<30, now + 1} }

func (s Span) Contains(t entangle.Tick) bool { return !t.Before(s.Lo) && t.Before(s.Hi) }

// Narrow reports whether a body from a baseline contains a change, which it does if the change is later. It keeps only
// those baselines in the span for which the answer is the same.
func (s *Span) Narrow(since, change entangle.Tick) bool {
	if since.Before(change) {
		if change.Before(s.Hi) {
			s.Hi = change
		}
		return true
	}
	if s.Lo.Before(change) {
		s.Lo = change
	}
	return false
}

// Intersect reduces s to its intersection with o.
func (s *Span) Intersect(o Span) {
	if s.Lo.Before(o.Lo) {
		s.Lo = o.Lo
	}
	if o.Hi.Before(s.Hi) {
		s.Hi = o.Hi
	}
}

// ChangedSince returns the components that are there and changed after base.
func (t *slots) ChangedSince(s repl.Slot, base entangle.Tick, same *Span) (m set.Mask) {
	have := &t.Mask[s]
	for c := have.Next(0); c >= 0; c = have.Next(c + 1) {
		if same.Narrow(base, t.changed[c][s]) {
			m.Set(c)
		}
	}
	return m
}

// RemovedSince returns the components that are not there and went after a tick.
func (t *slots) RemovedSince(s repl.Slot, after entangle.Tick, same *Span) (m set.Mask) {
	for c := range t.presenceChanged {
		if !t.Mask[s].Has(c) && same.Narrow(after, t.presenceChanged[c][s]) {
			m.Set(c)
		}
	}
	return m
}

// InsertedSince reports whether one of the components of a set came after a tick.
func (t *slots) InsertedSince(s repl.Slot, comps *set.Mask, after entangle.Tick, same *Span) (some bool) {
	for c := comps.Next(0); c >= 0; c = comps.Next(c + 1) {
		some = same.Narrow(after, t.presenceChanged[c][s]) || some
	}
	return some
}
