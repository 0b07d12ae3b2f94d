package snapshot

import "bytes"

// selection is the argument of Select.
type selection struct {
	slots []Slot
	pairs
}

// scratch is memory for values that are computed one by one, or for a part of a selection.
type scratch struct {
	pairs
	rows   []int // of the selection
	values []byte
}

// resize returns memory for values.
func (s *scratch) resize(bytes int) []byte {
	if bytes > cap(s.values) {
		s.values = make([]byte, bytes, 2*bytes)
	}
	s.values = s.values[:bytes]
	return s.values
}

// Select sets the slots that Show writes, in this order. All must be shown. The selection is valid
// until the next call of a method other than Show.
func (s *Store) Select(slots []Slot) {
	sel := &s.selected
	sel.slots = slots
	sel.resize(len(slots))
	from, to, share := sel.from[:len(slots)], sel.to[:len(slots)], sel.share[:len(slots)]
	all := &s.pairs
	for i, slot := range slots {
		from[i], to[i], share[i] = all.from[slot], all.to[slot], all.share[slot]
	}
}

// Show writes the shown values of a column, which all selected slots must have, into dst.
func (s *Store) Show(col int, dst []byte) {
	k, sel := &s.kinds[col], &s.selected
	if len(sel.slots) == 0 {
		return
	}
	k.Each(dst, s.planes[col], sel.from, sel.to, sel.share)
	if k.TooFar != nil {
		for row, slot := range sel.slots {
			if s.far[col].Has(int(slot)) {
				copy(dst[row*k.Size:(row+1)*k.Size], s.value(col, sel.from[row]))
			}
		}
	}
	if k.Extrapolate > 0 {
		s.showExtrapolated(col, dst)
	}
}

// showExtrapolated overwrites the values that continue beyond the newest sample.
func (s *Store) showExtrapolated(col int, dst []byte) {
	k, x := &s.kinds[col], &s.scratch
	x.pairs.reset()
	x.rows = x.rows[:0]
	for row, slot := range s.selected.slots {
		if from, to, share := s.extrapolate(col, slot); share > 1 {
			x.add(from, to, share)
			x.rows = append(x.rows, row)
		}
	}
	if len(x.rows) == 0 {
		return
	}
	values := x.resize(len(x.rows) * k.Size)
	k.Each(values, s.planes[col], x.from, x.to, x.share)
	for i, row := range x.rows {
		copy(dst[row*k.Size:(row+1)*k.Size], values[i*k.Size:])
	}
}

// extrapolate returns the last two samples of a resting entity, and the share of the second at
// which a column is shown. The share is 1 if the column has its last value. If the two have equal
// values or ones that are too far from each other, there is no direction to continue in.
func (s *Store) extrapolate(col int, slot Slot) (from, to uint32, share float32) {
	e, m := &s.entities[slot], &s.moves[slot]
	from, to = s.index(slot, e.first), s.pairs.to[slot]
	if from == to || s.pairs.from[slot] != to || s.far[col].Has(int(slot)) || bytes.Equal(s.value(col, from), s.value(col, to)) {
		return from, to, 1
	}
	now := e.class.now
	if until := m.start + oneTick*moment(s.kinds[col].Extrapolate); until.before(now) {
		now = until
	}
	last := movement{start: m.before, end: m.start}
	return from, to, last.share(now)
}

// shownValue returns the shown value of one slot. It is valid until the next call.
func (s *Store) shownValue(col int, slot Slot) []byte {
	from, to, share := s.pairs.from[slot], s.pairs.to[slot], s.pairs.share[slot]
	if s.far[col].Has(int(slot)) {
		share = 0
	} else if s.kinds[col].Extrapolate > 0 && from == to {
		from, to, share = s.extrapolate(col, slot)
	}
	x := &s.scratch
	x.pairs.reset()
	x.add(from, to, share)
	value := x.resize(s.kinds[col].Size)
	s.kinds[col].Each(value, s.planes[col], x.from, x.to, x.share)
	return value
}

// From returns the sample that a column of a slot is moving from, and To the one that it is moving
// to. They are the same if there is only one. Share returns how much of the way is over, from 0 to
// 1. A game that blends several columns together uses them in place of Show; neither TooFar nor
// Extrapolate apply.
func (s *Store) From(slot Slot, col int) []byte { return s.value(col, s.pairs.from[slot]) }

// To is described at From.
func (s *Store) To(slot Slot, col int) []byte { return s.value(col, s.pairs.to[slot]) }

// Share is described at From.
func (s *Store) Share(slot Slot) float32 { return s.pairs.share[slot] }
