package rollback

import "github.com/entangle-ecs/entangle"

// holdsAt reports whether the server's word of a slot is its state at a tick.
func (s *Store) holdsAt(slot Slot, tick entangle.Tick) bool {
	word := &s.word[slot]
	if !s.binds(slot) || tick.Before(word.Tick) {
		return false
	}
	return !s.news.settled.Before(tick) || word.Tick == tick
}

// Wanted calls visit, once, for each slot that at a tick had another form than now, or
// has to have another one there because the server says so: in columns that are compared,
// and in whether it is there at all. f is the frontier. Slots that were excluded or
// forgotten are not visited. visit may change the form of the slot that it is called for.
func (s *Store) Wanted(tick, f entangle.Tick, now func(Slot) Form, visit func(slot Slot, form Form)) {
	s.advance(f)
	touched := s.Touched(tick)
	for _, slot := range touched {
		s.want(slot, tick, now, visit)
	}
	for i := len(s.news.suspects.slots) - 1; i >= 0; i-- {
		slot := s.news.suspects.slots[i]
		if s.log.slots[slot].round != s.log.round {
			s.want(slot, tick, now, visit)
		}
	}
}

func (s *Store) want(slot Slot, tick entangle.Tick, now func(Slot) Form, visit func(slot Slot, form Form)) {
	if s.news.excluded.has(int(slot)) {
		return
	}
	present := now(slot)
	form := s.FormAt(slot, tick, present)
	if s.holdsAt(slot, tick) {
		form = s.Corrected(slot, form)
	}
	if form != present {
		visit(slot, form)
	}
}

// Corrected returns a form with what the server says of the slot put in.
func (s *Store) Corrected(slot Slot, form Form) Form {
	word, compared := &s.word[slot], s.cfg.Compared
	if word.Gone {
		form.Mask = form.Mask.Without(s.cfg.Kept)
		return form
	}
	form.Alive, form.Mask = true, form.Mask.Without(compared).Union(word.Mask.And(compared))
	relations := form.Mask.And(s.cfg.Relations)
	if !relations.IsZero() {
		form.Target = word.Target
	}
	return form
}

// Correct writes the server's word over the compared columns of a tick, for each slot of
// which it is known there. f is the frontier.
func (s *Store) Correct(tick, f entangle.Tick) {
	s.advance(f)
	if !s.Holds(tick) {
		return
	}
	for col := s.cfg.Compared.Next(0); col >= 0; col = s.cfg.Compared.Next(col + 1) {
		if s.cfg.Sizes[col] > 0 && tick == f {
			s.correctColumn(tick, col)
		}
	}
	if tick != f {
		s.correctOlder(tick)
	}
}

// correctColumn corrects a column at the frontier.
func (s *Store) correctColumn(tick entangle.Tick, col int) {
	known, size := set(s.news.known[col]), s.cfg.Sizes[col]
	to, from := s.Column(tick, col), s.ConfirmedColumn(col)
	for start, end := known.run(0, s.slots); start < end; start, end = known.run(end, s.slots) {
		copy(to[start*size:end*size], from[start*size:end*size])
	}
}

// correctOlder corrects a tick that is not the frontier: not all that is known there is
// known here.
func (s *Store) correctOlder(tick entangle.Tick) {
	for slot := range s.word {
		if s.holdsAt(Slot(slot), tick) && !s.word[slot].Gone {
			s.CorrectSlot(Slot(slot), tick)
		}
	}
}

// CorrectSlot writes the server's word of one slot over its compared columns of a tick
// that is held.
func (s *Store) CorrectSlot(slot Slot, tick entangle.Tick) {
	cols := s.word[slot].Mask.And(s.cfg.Compared)
	for col := cols.Next(0); col >= 0; col = cols.Next(col + 1) {
		size := s.cfg.Sizes[col]
		if to := s.Column(tick, col); len(to) > 0 {
			copy(to[int(slot)*size:(int(slot)+1)*size], s.ConfirmedValue(slot, col))
		}
	}
}
