package rollback

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/set"
)

// holdsAt reports whether the confirmed state of a slot is also the server's state at a tick.
func (s *Store) holdsAt(slot Slot, tick entangle.Tick) bool {
	state := &s.confirmed[slot]
	if !s.binds(slot) || tick.Before(state.Tick) {
		return false
	}
	return !s.changes.confirmed.Before(tick) || state.Tick == tick
}

// Wanted calls visit once for each slot that needs another form than its present one for a restore
// to a tick. The form follows from the records of Changed, and for compared columns from the
// confirmed state. f is the confirmed tick. Excluded and forgotten slots are not visited. A slot
// with confirmed state is never removed: at a tick before it existed, all its components are
// disabled. visit may change the form of its slot.
//
// Columns that are kept but not compared come from the history of the tick. If the slot appeared
// only later, the columns that it had at first are used, and the caller must have called Backfill
// for their values. If its components were disabled at the tick, the columns that it had last
// before are used, and Wanted copies their values into the columns of the tick.
func (s *Store) Wanted(tick, f entangle.Tick, now func(Slot) Form, visit func(slot Slot, form Form)) {
	s.applyConfirmed(f)
	s.log.amends, s.log.amended = s.log.amends[:0], tick
	for _, slot := range s.Touched(tick) {
		s.want(slot, tick, now(slot), visit)
	}
	for i := len(s.changes.suspects.slots) - 1; i >= 0; i-- {
		slot := s.changes.suspects.slots[i]
		if s.log.slots[slot].round != s.log.round {
			s.want(slot, tick, now(slot), visit)
		}
	}
}

func (s *Store) want(slot Slot, tick entangle.Tick, now Form, visit func(slot Slot, form Form)) {
	if s.changes.excluded.Has(int(slot)) {
		return
	}
	was := s.FormAt(slot, tick, now)
	form := was
	if s.holdsAt(slot, tick) {
		form = s.corrected(slot, tick, was, now)
	} else if s.confirmed[slot].Known && !form.Alive {
		form = Form{Alive: true, Disabled: true}
	}
	if form != was {
		s.log.amends = append(s.log.amends, amend{slot, was})
	}
	if form != now {
		visit(slot, form)
	}
}

// corrected returns the form that a slot has at a tick according to the confirmed state. was is its
// form at that tick in the history.
func (s *Store) corrected(slot Slot, tick entangle.Tick, was, now Form) Form {
	state := &s.confirmed[slot]
	switch {
	case state.Gone:
	case !was.Alive:
		was = s.firstForm(slot, tick, now)
	case was.Disabled:
		lost, at := s.Lost(slot, tick)
		was.Mask = lost
		s.bring(slot, lost, at, tick)
	}
	return s.Corrected(slot, was)
}

// Corrected returns form with the confirmed state of the slot applied. A despawned slot loses all
// kept columns.
func (s *Store) Corrected(slot Slot, form Form) Form {
	state, compared, relations := &s.confirmed[slot], s.cfg.Compared, s.cfg.Relations
	related := form.Mask.And(relations) != set.Mask{}
	form.Alive, form.Disabled = true, state.Gone
	if state.Gone {
		form.Mask = form.Mask.Without(s.cfg.Kept)
	} else {
		form.Mask = form.Mask.Without(compared).Or(state.Mask.And(compared))
	}
	if form.Mask.And(relations) != (set.Mask{}) {
		form.Target = state.Target
	} else if related {
		form.Target = 0
	}
	return form
}

// firstForm returns the first form that a slot had at the end of a tick, after one at which it did not exist.
func (s *Store) firstForm(slot Slot, tick entangle.Tick, now Form) Form {
	first := now
	for r := s.log.newest(slot); r != nil && tick.Before(r.tick) && r.was.Alive; {
		before := s.log.numbered(r.prev)
		if before == nil || before.tick != r.tick { // otherwise the tick has changed it twice: it was that only in between
			first = r.was
		}
		r = before
	}
	return first
}

// Lost returns the columns, of those kept but not compared, that a slot had before its components
// were disabled, which was at the given tick or earlier. at is the last tick at which it had them.
// The set is empty if that tick is not held.
func (s *Store) Lost(slot Slot, tick entangle.Tick) (cols set.Mask, at entangle.Tick) {
	for r := s.log.newest(slot); r != nil; r = s.log.numbered(r.prev) {
		if tick.Before(r.tick) {
			continue
		}
		was := s.FormAt(slot, r.tick-1, r.was)
		if !was.Alive || was.Disabled {
			continue
		}
		if !s.Holds(r.tick - 1) {
			break
		}
		return was.Mask.And(s.cfg.Kept).Without(s.cfg.Compared), r.tick - 1
	}
	return set.Mask{}, tick
}

// bring copies the values of some columns of a slot from one tick to another.
func (s *Store) bring(slot Slot, cols set.Mask, from, to entangle.Tick) {
	for col := range cols.All() {
		size := s.cfg.Sizes[col]
		a, b := s.Column(from, col), s.Column(to, col)
		if len(a) > 0 && len(b) > 0 {
			copy(b[int(slot)*size:(int(slot)+1)*size], a[int(slot)*size:])
		}
	}
}

// Correct overwrites the compared columns of a tick with the confirmed state, for each slot with
// confirmed state that applies at that tick. f is the confirmed tick.
func (s *Store) Correct(tick, f entangle.Tick) {
	s.applyConfirmed(f)
	if !s.Holds(tick) {
		return
	}
	if tick != f {
		s.correctEach(tick)
		return
	}
	for col := range s.cfg.Compared.All() {
		if s.cfg.Sizes[col] > 0 && s.values[col] != nil {
			s.correctColumn(tick, col)
		}
	}
}

// correctColumn corrects a column at the confirmed tick.
func (s *Store) correctColumn(tick entangle.Tick, col int) {
	known, size := s.changes.known[col], s.cfg.Sizes[col]
	start, end := known.NextRun(0)
	for ; start < end; start, end = known.NextRun(end) {
		copy(s.Column(tick, col)[start*size:end*size], s.ConfirmedColumn(col)[start*size:])
	}
}

// correctEach corrects a tick other than the confirmed one, slot by slot, because confirmed state
// that applies at one of the two ticks need not apply at the other.
func (s *Store) correctEach(tick entangle.Tick) {
	for slot := range s.confirmed {
		if s.holdsAt(Slot(slot), tick) {
			s.CorrectSlot(Slot(slot), tick)
		}
	}
}

// CorrectSlot overwrites the compared columns of one slot at a held tick with its confirmed state.
func (s *Store) CorrectSlot(slot Slot, tick entangle.Tick) {
	if s.confirmed[slot].Gone {
		return
	}
	for col := range s.confirmed[slot].Mask.And(s.cfg.Compared).All() {
		size := s.cfg.Sizes[col]
		if to := s.Column(tick, col); len(to) > 0 {
			copy(to[int(slot)*size:(int(slot)+1)*size], s.ConfirmedValue(slot, col))
		}
	}
}
