package snapshot

import "bytes"

// selection is the argument of Select.
type selection struct {
	slots []Slot
	pairs
	runs []run
}

// run is a part of a selection, from the end of the run before. It is even if the two samples of
// its slots are contiguous in the planes, and have the same share: those of entities that are
// updated in every tick are.
type run struct {
	end  int
	even bool
}

// evenRun is the least length of an even run: it saves more time than it takes to begin another run.
const evenRun = 8

// end ends a run of slots with contiguous samples. A short one becomes part of an uneven one.
func (s *selection) end(at, length int) {
	if length == 0 {
		return
	}
	even := length >= evenRun
	if n := len(s.runs); n > 0 && !even && !s.runs[n-1].even {
		s.runs[n-1].end = at
	} else {
		s.runs = append(s.runs, run{at, even})
	}
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
	sel.slots, sel.runs = slots, sel.runs[:0]
	sel.resize(len(slots))
	from, to, share := sel.from[:len(slots)], sel.to[:len(slots)], sel.share[:len(slots)]
	all := s.pairs
	begin, runFrom, runTo, runShare := 0, uint32(0), uint32(0), float32(-1) // the next pair of an even run
	for i, slot := range slots {
		a, b, t := all.from[slot], all.to[slot], all.share[slot]
		if a != runFrom || b != runTo || t != runShare {
			sel.end(i, i-begin)
			begin = i
		}
		from[i], to[i], share[i] = a, b, t
		runFrom, runTo, runShare = a+1, b+1, t
	}
	sel.end(len(slots), len(slots)-begin)
}

// Show writes the shown values of a column, which all selected slots must have, into dst.
func (s *Store) Show(col int, dst []byte) {
	k, sel, plane := &s.kinds[col], &s.selected, s.planes[col]
	begin := 0
	for _, run := range sel.runs {
		part := dst[begin*k.Size : run.end*k.Size]
		from, to, share := int(sel.from[begin])*k.Size, int(sel.to[begin])*k.Size, sel.share[begin]
		switch {
		case !run.even:
			k.Each(part, plane, sel.from[begin:run.end], sel.to[begin:run.end], sel.share[begin:run.end])
		case !(share > 0):
			copy(part, plane[from:])
		case share == 1:
			copy(part, plane[to:])
		default:
			k.Blend(part, plane[from:from+len(part)], plane[to:to+len(part)], float64(share))
		}
		begin = run.end
	}
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
	e := &s.entities[slot]
	from, to = s.index(slot, e.first), s.pairs.to[slot]
	if from == to || s.pairs.from[slot] != to || s.far[col].Has(int(slot)) || bytes.Equal(s.value(col, from), s.value(col, to)) {
		return from, to, 1
	}
	now := s.members[slot].class.now
	if until := e.start + oneTick*moment(s.kinds[col].Extrapolate); until.before(now) {
		now = until
	}
	last := movement{start: e.before, end: e.start}
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
