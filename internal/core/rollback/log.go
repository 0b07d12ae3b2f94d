package rollback

import "github.com/entangle-ecs/entangle"

// log is how structure changed, in the order of ticks: a queue whose records are chained
// by slot. It holds at most one record for each slot and tick, if its caller makes no
// more.
type log struct {
	buf        []record // a power of two of them, by number modulo its length
	first, end uint64   // numbers of the oldest record and of the next
	slots      []logSlot
	touched    []Slot
	round      uint32

	amends  []amend       // what the last Wanted found
	amended entangle.Tick // for which tick
}

// amend is a form at a tick in place of which the server says another one.
type amend struct {
	slot Slot
	was  Form
}

// record is one change of one slot: what it was before the tick.
type record struct {
	tick entangle.Tick
	slot Slot
	life uint32 // of the slot
	prev uint64 // number plus one of the record before it of that slot; 0: none
	was  Form
}

type logSlot struct {
	last  uint64 // number plus one of its newest record; 0: none
	life  uint32 // counts the entities that the slot had
	round uint32 // the Touched that it is in
}

func (l *log) grow(slots int) { l.slots = fit(l.slots, slots) }

func (l *log) at(number uint64) *record { return &l.buf[number&uint64(len(l.buf)-1)] }

// Changed notes that a slot had one form before a tick and another after it. Ticks are in
// the order of Begin, and of one slot there is one record for a tick. What happens
// between two ticks is of the next one. A slot that ended is not noted, but forgotten.
func (s *Store) Changed(tick entangle.Tick, slot Slot, was, is Form) {
	if was != is {
		s.log.add(tick, slot, was)
		s.news.suspects.add(slot)
	}
}

// Always has a slot have some columns in all ticks that are held as it has them in a form, whose
// relation keeps its target. A tick in which it was stripped or did not exist stays as it is.
func (s *Store) Always(slot Slot, cols Mask, is Form) {
	for r := s.log.newest(slot); r != nil; r = s.log.numbered(r.prev) {
		if r.was.Alive && !r.was.Mask.IsZero() {
			r.was = s.With(r.was, cols, is)
		}
	}
}

// With returns a form with some columns as in another one. A relation that comes with them takes
// the place of any other.
func (s *Store) With(form Form, cols Mask, is Form) Form {
	if comes := is.Mask.And(cols).And(s.cfg.Targets); comes != (Mask{}) {
		form.Mask, form.Target = form.Mask.Without(s.cfg.Targets), is.Target
	}
	form.Mask = form.Mask.Without(cols).Union(is.Mask.And(cols))
	if form.Mask.And(s.cfg.Targets) == (Mask{}) {
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

// drop forgets the records that lead to states before a tick.
func (l *log) drop(oldest entangle.Tick) {
	for l.first < l.end && !oldest.Before(l.at(l.first).tick) {
		l.first++
	}
}

// cut forgets the records of what happened after a tick.
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

// amend notes the server's word at a tick as a change there, so that the ticks before it
// stay as they were.
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

// forget makes the records of a slot those of another life.
func (l *log) forget(slot Slot) {
	l.slots[slot].last = 0
	l.slots[slot].life++
}

// newest returns the newest record of a slot, or nil.
func (l *log) newest(slot Slot) *record { return l.numbered(l.slots[slot].last) }

// numbered returns a record by its number plus one, or nil if there is none any more.
func (l *log) numbered(n uint64) *record {
	if n <= l.first {
		return nil
	}
	return l.at(n - 1)
}

// FormAt returns the form that a slot had at a tick, if it has the form now at present.
// For a tick before all that are held, it is the oldest one known.
func (s *Store) FormAt(slot Slot, tick entangle.Tick, now Form) Form {
	for r := s.log.newest(slot); r != nil && tick.Before(r.tick); r = s.log.numbered(r.prev) {
		now = r.was
	}
	return now
}

// Touched returns the slots whose form changed after a tick, each once; those that were
// forgotten are not in it. It is valid until the next call.
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
