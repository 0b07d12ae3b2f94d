package snapshot

import (
	"bytes"
	"slices"
)

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

// scratch is memory for a part of a selection.
type scratch struct {
	pairs
	seconds []float32 // from the first sample of a pair to the second
	rows    []int     // of the selection
	values  []byte
}

func (x *scratch) begin() {
	x.pairs.reset()
	x.seconds, x.rows = x.seconds[:0], x.rows[:0]
}

// resize returns memory for a value of each row.
func (x *scratch) resize(size int) []byte {
	bytes := len(x.rows) * size
	x.values = slices.Grow(x.values[:0], bytes)[:bytes]
	return x.values
}

// overwrite writes the values of the rows.
func (x *scratch) overwrite(dst []byte, size int) {
	for i, row := range x.rows {
		copy(dst[row*size:(row+1)*size], x.values[i*size:])
	}
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
	k := &s.kinds[col]
	if k.Curve == nil {
		s.showLines(col, dst)
	} else {
		s.showCurves(col, dst)
	}
	if len(s.functions[col].of) > 0 {
		s.showByFunction(col, dst)
	}
	if k.TooFar != nil {
		for row, slot := range s.selected.slots {
			if s.far[col].Has(int(slot)) {
				copy(dst[row*k.Size:(row+1)*k.Size], s.value(col, s.selected.from[row]))
			}
		}
	}
	if k.Extrapolate > 0 {
		s.showExtrapolated(col, dst)
	}
}

// showLines writes the values of a column that is blended alone.
func (s *Store) showLines(col int, dst []byte) {
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
}

// showCurves writes the values of a column that is blended together with another one, where the
// entity has both and the values differ.
func (s *Store) showCurves(col int, dst []byte) {
	k, x, sel := &s.kinds[col], &s.scratch, &s.selected
	x.begin()
	for row, slot := range sel.slots {
		from, to := sel.from[row], sel.to[row]
		if s.members[slot].cols.Has(k.With) && !bytes.Equal(s.value(col, from), s.value(col, to)) {
			x.add(from, to, sel.share[row])
			e := &s.entities[slot]
			x.seconds = append(x.seconds, float32(float64(int64(e.end-e.start))/float64(s.second)))
			x.rows = append(x.rows, row)
		}
	}
	if len(x.rows) == len(sel.slots) {
		k.Curve(dst, s.planes[col], s.planes[k.With], x.from, x.to, x.share, x.seconds)
		return
	}
	s.showLines(col, dst)
	if len(x.rows) > 0 {
		k.Curve(x.resize(k.Size), s.planes[col], s.planes[k.With], x.from, x.to, x.share, x.seconds)
		x.overwrite(dst, k.Size)
	}
}

// showExtrapolated overwrites the values that continue beyond the newest sample. A curve continues
// in a line as well.
func (s *Store) showExtrapolated(col int, dst []byte) {
	k, x := &s.kinds[col], &s.scratch
	x.begin()
	for row, slot := range s.selected.slots {
		if from, to, share := s.extrapolate(col, slot); share > 1 {
			x.add(from, to, share)
			x.rows = append(x.rows, row)
		}
	}
	if len(x.rows) > 0 {
		k.Each(x.resize(k.Size), s.planes[col], x.from, x.to, x.share)
		x.overwrite(dst, k.Size)
	}
}

// extrapolate returns the last two samples of a resting entity, and the share of the second at
// which a column is shown. It grows from 1 for Kind.Extrapolate ticks and falls back to 1 in as many:
// an entity of which nothing more is sent has stopped. If the two have equal values or ones that are
// too far from each other, there is no direction to continue in. Nor is there by a function of its own.
func (s *Store) extrapolate(col int, slot Slot) (from, to uint32, share float32) {
	e := &s.entities[slot]
	from, to = s.index(slot, e.first), s.pairs.to[slot]
	if e.held || s.pairs.from[slot] != to || from == to || s.jumps[from] != s.jumps[to] || s.far[col].Has(int(slot)) || s.functions[col].has.Has(int(slot)) ||
		bytes.Equal(s.value(col, from), s.value(col, to)) {
		return from, to, 1
	}
	most := oneTick * moment(s.kinds[col].Extrapolate)
	beyond := s.members[slot].class.now - e.start
	if most < beyond { // it comes back
		beyond = 2*most - min(beyond, 2*most)
	}
	last := movement{start: e.before, end: e.start}
	return from, to, last.share(e.start + beyond)
}

// shownValues returns the shown values of all columns of a slot, one after the other. They are valid
// until the next call.
func (s *Store) shownValues(slot Slot) []byte {
	s.single[0] = slot
	s.Select(s.single[:])
	s.moving = s.moving[:0]
	for col := range s.members[slot].cols.All() {
		at := len(s.moving)
		s.moving = slices.Grow(s.moving, s.sizes[col])[:at+s.sizes[col]]
		s.Show(col, s.moving[at:])
	}
	return s.moving
}

// From returns the sample that a column of a slot is moving from, and To the one that it is moving
// to. They are the same if there is only one, and if the entity is teleported to the other. Share returns how much of the way is over, from 0 to
// 1. A game that blends several columns together uses them in place of Show; neither TooFar nor
// Extrapolate apply.
func (s *Store) From(slot Slot, col int) []byte { return s.value(col, s.pairs.from[slot]) }

// To is described at From.
func (s *Store) To(slot Slot, col int) []byte { return s.value(col, s.pairs.to[slot]) }

// Share is described at From.
func (s *Store) Share(slot Slot) float32 { return s.pairs.share[slot] }
