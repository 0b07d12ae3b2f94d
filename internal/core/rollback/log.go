package rollback

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/set"
)

// log records changes of structure in the order of ticks. It is a queue of records in which the
// records of one slot are linked. If its caller adds no more, it has at most one record for each
// slot and tick.
type log struct {
	buf        []record // record n is at n modulo the length, which is a power of two
	first, end uint64   // numbers of the oldest record and of the next
	slots      []logSlot
	touched    []Slot // result of Touched
	round      uint32 // counts the calls of Touched

	amends  []amend       // found by the last call of Wanted
	amended entangle.Tick // the tick of the last call of Wanted
}

// amend is the form of a slot at a tick that the confirmed state replaces.
type amend struct {
	slot Slot
	was  Form
}

// record is one change of one slot: its form before the tick.
type record struct {
	tick entangle.Tick
	slot Slot
	life uint32 // logSlot.life of the slot
	prev uint64 // number plus one of the previous record of the same slot; 0 if there is none
	was  Form
}

type logSlot struct {
	last  uint64 // number plus one of the newest record of the slot; 0 if there is none
	life  uint32 // counts the entities that have had the slot
	round uint32 // log.round at the last Touched that returned the slot
}

func (l *log) grow(slots int) { l.slots = fit(l.slots, slots) }

func (l *log) at(number uint64) *record { return &l.buf[number&uint64(len(l.buf)-1)] }

// Changed records the forms of a slot before and after a tick. Calls are in the order of the ticks
// of Begin, with at most one for each slot and tick. A change between two ticks belongs to the
// later one. For a slot whose entity is removed, call Forget instead.
func (s *Store) Changed(tick entangle.Tick, slot Slot, was, is Form) {
	if was != is {
		s.log.add(tick, slot, was)
		s.changes.suspects.add(slot)
	}
}

// Always gives a slot some columns of a form in all held ticks, including the target of a relation.
// Ticks in which the entity did not exist, or its components were disabled, stay unchanged.
func (s *Store) Always(slot Slot, cols set.Mask, is Form) {
	for r := s.log.newest(slot); r != nil; r = s.log.numbered(r.prev) {
		if r.was.Alive && !r.was.Disabled {
			r.was = s.With(r.was, cols, is)
		}
	}
}

// With returns form with the given columns as they are in is. A relation among them replaces any
// other relation.
func (s *Store) With(form Form, cols set.Mask, is Form) Form {
	if comes := is.Mask.And(cols).And(s.cfg.Targets); comes != (set.Mask{}) {
		form.Mask, form.Target = form.Mask.Without(s.cfg.Targets), is.Target
	}
	form.Mask = form.Mask.Without(cols).Or(is.Mask.And(cols))
	if form.Mask.And(s.cfg.Targets) == (set.Mask{}) {
		form.Target = 0
	}
	return form
}

func (l *log) add(tick entangle.Tick, slot Slot, was Form) {
	l.reserve()
	info := &l.slots[slot]
	*l.at(l.end) = record{tick, slot, info.life, info.last, was}
	l.end++
	info.last = l.end
}

// reserve makes room for one more record.
func (l *log) reserve() {
	const least = 64
	if l.end-l.first < uint64(len(l.buf)) {
		return
	}
	buf := make([]record, max(least, 2*len(l.buf)))
	for n := l.first; n < l.end; n++ {
		buf[n&uint64(len(buf)-1)] = *l.at(n)
	}
	l.buf = buf
}

// removeBefore removes the records that are needed only for ticks before oldest.
func (l *log) removeBefore(oldest entangle.Tick) {
	for l.first < l.end && !oldest.Before(l.at(l.first).tick) {
		l.first++
	}
}

// cut removes the records of changes after a tick.
func (l *log) cut(after entangle.Tick) {
	for l.first < l.end {
		r := l.at(l.end - 1)
		if !after.Before(r.tick) {
			return
		}
		if info := &l.slots[r.slot]; info.life == r.life {
			info.last = r.prev
		}
		l.end--
	}
}

// amend adds records for what the last call of Wanted found at a tick: the confirmed state has replaced
// forms there, and the ticks before it stay unchanged.
func (l *log) amend(tick entangle.Tick) {
	if tick == l.amended {
		for _, a := range l.amends {
			l.add(tick, a.slot, a.was)
		}
	}
	l.amends = l.amends[:0]
}

func (l *log) clear() {
	l.first, l.amends = l.end, l.amends[:0]
	for i := range l.slots {
		l.slots[i].last = 0
	}
}

// forgetSlot makes the records of a slot invalid.
func (l *log) forgetSlot(slot Slot) {
	l.slots[slot].last = 0
	l.slots[slot].life++
}

// newest returns the newest record of a slot, or nil.
func (l *log) newest(slot Slot) *record { return l.numbered(l.slots[slot].last) }

// numbered returns a record by its number plus one, or nil if it was removed.
func (l *log) numbered(n uint64) *record {
	if n <= l.first {
		return nil
	}
	return l.at(n - 1)
}

// FormAt returns the form of a slot at a tick. now is its present form. For a tick before all held
// ones, it returns the oldest known form.
func (s *Store) FormAt(slot Slot, tick entangle.Tick, now Form) Form {
	for r := s.log.newest(slot); r != nil && tick.Before(r.tick); r = s.log.numbered(r.prev) {
		now = r.was
	}
	return now
}

// Touched returns the slots with a change of form after a tick, each once, except forgotten slots.
// The result is valid until the next call.
func (s *Store) Touched(since entangle.Tick) []Slot {
	l := &s.log
	l.touched = l.touched[:0]
	l.round++
	for n := l.end; n > l.first; n-- {
		r := l.at(n - 1)
		if !since.Before(r.tick) {
			break
		}
		if info := &l.slots[r.slot]; info.life == r.life && info.round != l.round {
			info.round = l.round
			l.touched = append(l.touched, r.slot)
		}
	}
	return l.touched
}
