package rollback

import "github.com/entangle-ecs/entangle"

// turning is the state of reordering columns from places, which are the indexes of the world's
// rows, to slots.
type turning struct {
	of     *row     // the row that places belongs to, or nil
	to     *row     // the row that pairs belongs to, or nil
	places []uint32 // for each slot its place in of; arbitrary for a slot without a place
	values []byte   // scratch
	pairs  []uint32 // scratch: for each place in to, the place of the same slot in of
}

// Arrange begins to write a tick by place: its columns are written to the memory of Placed, in the
// order of the given slots.
func (s *Store) Arrange(tick entangle.Tick, slots []uint32) {
	w := s.rows.at(tick)
	if w == nil {
		return
	}
	for col := range w.raw.All() {
		s.turn(w, col)
	}
	w.order = append(w.order[:0], slots...)
	s.turning.of = nil
}

// Placed returns a column of a tick for writing by place, in the order that was passed to Arrange.
// All of it must be written before the next Grow, because its old content is lost, except places of
// slots without a value. It is nil if Column would return nil.
func (s *Store) Placed(tick entangle.Tick, col int) []byte {
	w := s.rows.at(tick)
	if w == nil || !s.cfg.Kept.Has(col) || s.cfg.Sizes[col] == 0 {
		return nil
	}
	s.reserveColumn(w, col)
	w.raw.Set(col)
	return w.cols[col][:len(w.order)*s.cfg.Sizes[col]]
}

// turn reorders a column by slot if it is still ordered by place.
func (s *Store) turn(w *row, col int) {
	if !w.raw.Has(col) {
		return
	}
	w.raw.Clear(col)
	t, size, to := &s.turning, s.cfg.Sizes[col], w.cols[col]
	if len(w.order) == 0 {
		return
	}
	if t.of != w {
		t.findPlaces(w, s.slots)
	}
	t.values = append(t.values[:0], to[:len(w.order)*size]...)
	s.gather(size, to, t.values, t.places[:len(to)/size])
}

// findPlaces sets places to the places of the slots in w.
func (t *turning) findPlaces(w *row, slots int) {
	t.of, t.to, t.places = w, nil, fit(t.places, slots)
	clear(t.places)
	for place, slot := range w.order {
		t.places[slot] = uint32(place)
	}
}

// gather copies values from their places; see Config.Gather.
func (s *Store) gather(size int, to, from []byte, places []uint32) {
	if s.cfg.Gather != nil {
		s.cfg.Gather(size, to, from, places)
		return
	}
	for slot, place := range places {
		copy(to[slot*size:(slot+1)*size], from[int(place)*size:])
	}
}

// EachUnlike calls visit for each value of a column at a tick that differs in bytes from the value
// that Shelve took out, also for slots that have no value. The arguments of visit are valid only
// during the call.
func (s *Store) EachUnlike(tick entangle.Tick, col int, visit func(slot Slot, was, is []byte)) {
	w, size := s.rows.at(tick), s.cfg.Sizes[col]
	if w != nil && w.raw.Has(col) && s.shelf.raw.Has(col) && len(w.order) > 0 && len(s.shelf.order) > 0 {
		s.eachUnlikePlace(w, col, visit)
		return
	}
	s.turn(&s.shelf, col)
	was, is := s.shelf.cols[col], s.Column(tick, col)
	n := min(len(was), len(is))
	was, is = was[:n], is[:n]
	for n := Differ(was, is, size, 0); n >= 0; n = Differ(was, is, size, n+1) {
		visit(Slot(n), was[n*size:(n+1)*size], is[n*size:(n+1)*size])
	}
}

// eachUnlikePlace is EachUnlike for two ticks that are both ordered by place. It reorders neither.
func (s *Store) eachUnlikePlace(w *row, col int, visit func(slot Slot, was, is []byte)) {
	t, size := &s.turning, s.cfg.Sizes[col]
	if t.of != &s.shelf || t.to != w {
		t.pair(&s.shelf, w, s.slots)
	}
	was, is := s.shelf.cols[col][:len(s.shelf.order)*size], w.cols[col][:len(w.order)*size]
	for n := s.unlike(size, is, was, t.pairs, 0); n >= 0; n = s.unlike(size, is, was, t.pairs, n+1) {
		at := int(t.pairs[n]) * size
		visit(Slot(w.order[n]), was[at:at+size], is[n*size:(n+1)*size])
	}
}

// pair sets pairs to the places in of, for each place in to.
func (t *turning) pair(of, to *row, slots int) {
	t.findPlaces(of, slots)
	t.to, t.pairs = to, t.pairs[:0]
	for _, slot := range to.order {
		t.pairs = append(t.pairs, t.places[slot])
	}
}

func (s *Store) unlike(size int, a, b []byte, places []uint32, from int) int {
	if s.cfg.Unlike != nil {
		return s.cfg.Unlike(size, a, b, places, from)
	}
	for n := from; n < len(places); n++ {
		if at := int(places[n]) * size; string(a[n*size:(n+1)*size]) != string(b[at:at+size]) {
			return n
		}
	}
	return -1
}
