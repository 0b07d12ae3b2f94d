package rollback

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/set"
)

// ring holds the columns of the last ticks, with one row for each tick.
type ring struct {
	rows   []row
	head   int // index of the row of the newest tick
	newest entangle.Tick
	begun  bool // there is a newest tick
}

// row holds the columns of one tick. A column has no memory until it is used, because a game may
// register many components that few of its entities have. The columns in use are contiguous,
// because a tick is mostly written as a whole, and writing to each separate region takes extra
// time.
//
// A column can be in the order of the world's rows, because this is the fastest to write. Most
// ticks are never read; a column of the others is reordered by slot when it is read.
type row struct {
	held  bool // the row has a tick
	cols  [][]byte
	order []uint32 // the slot at each place
	raw   set.Mask // columns that are still ordered by place and not by slot
}

func newRing(ticks, cols int) ring {
	r := ring{rows: make([]row, ticks)}
	for i := range r.rows {
		r.rows[i].cols = make([][]byte, cols)
	}
	return r
}

// Begin opens the row of a tick and drops ticks that are now too old. Ticks that were skipped since
// the newest one are not held. If the tick is not after the newest one, it and all later ticks are
// dropped first.
func (s *Store) Begin(tick entangle.Tick) {
	switch gap := int(tick.Sub(s.rows.newest)); {
	case !s.rows.begun || gap > 0:
	case gap > -len(s.rows.rows):
		s.Cut(tick - 1)
	default: // no held tick is before it, or the distance is too large to compare
		s.Clear()
	}
	s.rows.beginTick(tick)
	s.log.removeBefore(s.oldest())
}

// BeginEmpty drops all histories and opens the row of a tick, when no slot has an entity. All earlier ticks that a
// row is left for are held, too: there was no entity in them either.
func (s *Store) BeginEmpty(tick entangle.Tick) {
	s.Clear()
	s.rows.beginTick(tick)
	for i := range s.rows.rows {
		s.rows.rows[i].held, s.rows.rows[i].raw = true, set.Mask{}
	}
}

func (r *ring) beginTick(tick entangle.Tick) {
	gap := int(tick.Sub(r.newest))
	if !r.begun || gap > len(r.rows) {
		r.clear()
		gap = 1
	}
	for range gap {
		r.head = (r.head + 1) % len(r.rows)
		r.rows[r.head].held = false
	}
	r.begun, r.newest = true, tick
	r.rows[r.head].held, r.rows[r.head].raw = true, set.Mask{}
}

// at returns the row of a tick, or nil if it is not held.
func (r *ring) at(tick entangle.Tick) *row {
	age := int(r.newest.Sub(tick))
	if !r.begun || age < 0 || age >= len(r.rows) {
		return nil
	}
	w := &r.rows[(r.head-age+len(r.rows))%len(r.rows)]
	if !w.held {
		return nil
	}
	return w
}

// cut drops all ticks after the given one.
func (r *ring) cut(after entangle.Tick) {
	age := int(r.newest.Sub(after))
	if !r.begun || age <= 0 {
		return
	}
	if age >= len(r.rows) {
		r.clear()
		return
	}
	for range age {
		r.rows[r.head].held = false
		r.head = (r.head - 1 + len(r.rows)) % len(r.rows)
	}
	r.newest = after
}

func (r *ring) clear() {
	for i := range r.rows {
		r.rows[i].held = false
	}
	r.begun = false
}

// oldest returns the oldest tick that may be held.
func (s *Store) oldest() entangle.Tick {
	return s.rows.newest - entangle.Tick(len(s.rows.rows)-1)
}

// Holds reports whether a tick has a row.
func (s *Store) Holds(tick entangle.Tick) bool { return s.rows.at(tick) != nil }

// Newest returns the newest tick that has a row.
func (s *Store) Newest() (entangle.Tick, bool) {
	for age := range len(s.rows.rows) {
		if tick := s.rows.newest - entangle.Tick(age); s.Holds(tick) {
			return tick, true
		}
	}
	return 0, false
}

// Column returns a column of a tick, indexed by slot, for reading and writing until the next Grow.
// It is nil if the tick is not held, the column is not kept, or the column is a tag.
func (s *Store) Column(tick entangle.Tick, col int) []byte {
	w := s.rows.at(tick)
	if w == nil || !s.cfg.Kept.Has(col) {
		return nil
	}
	s.reserveColumn(w, col)
	s.turn(w, col)
	return w.cols[col]
}

// reserveColumn makes sure that a column has memory for all slots.
func (s *Store) reserveColumn(w *row, col int) {
	if n := s.slots * s.cfg.Sizes[col]; n > len(w.cols[col]) {
		s.allocateColumn(w, col, n)
	}
}

// allocateColumn allocates n bytes for a column, together with memory for all other columns in use.
func (s *Store) allocateColumn(w *row, col, n int) {
	if n <= cap(w.cols[col]) {
		w.cols[col] = w.cols[col][:n]
		return
	}
	s.inUse.Set(col)
	room, total := s.slots, 0
	if len(w.cols[col]) > 0 {
		room += room / 4
	}
	for c := range s.inUse.All() {
		total += room * s.cfg.Sizes[c]
	}
	block := make([]byte, total)
	for c := range s.inUse.All() {
		size := s.cfg.Sizes[c]
		copy(block, w.cols[c])
		w.cols[c], block = block[:s.slots*size:room*size], block[room*size:]
	}
}

// Shelve takes out the columns of a tick without copying them. EachUnlike reads them until the next
// call of Shelve. The tick is not held any more.
func (s *Store) Shelve(tick entangle.Tick) {
	if w := s.rows.at(tick); w != nil {
		*w, s.shelf = s.shelf, *w
		w.held, s.turning.of = false, nil
	}
}

// ShelveCopy is Shelve with a copy of the columns, so that the tick is still held.
func (s *Store) ShelveCopy(tick entangle.Tick) {
	if w := s.rows.at(tick); w != nil {
		s.shelf.raw, s.shelf.order, s.turning.of = w.raw, append(s.shelf.order[:0], w.order...), nil
		for col := range w.cols {
			s.shelf.cols[col] = append(s.shelf.cols[col][:0], w.cols[col]...)
		}
	}
}

// Backfill writes a value of a slot into all held ticks, as if the slot had always had it.
func (s *Store) Backfill(slot Slot, col int, value []byte) {
	size := s.cfg.Sizes[col]
	for age := range len(s.rows.rows) {
		if c := s.Column(s.rows.newest-entangle.Tick(age), col); c != nil {
			copy(c[int(slot)*size:(int(slot)+1)*size], value)
		}
	}
}

// Cut drops all ticks after the given one, because the world was rolled back to it. If Wanted was
// called for that tick before, the forms that it visited are now those of the tick.
func (s *Store) Cut(after entangle.Tick) {
	for _, slot := range s.Touched(after) {
		s.changes.suspects.add(slot)
	}
	s.rows.cut(after)
	s.log.cut(after)
	s.log.amend(after)
}

// Clear drops all histories. The confirmed state remains and is compared again when there is a
// history.
func (s *Store) Clear() {
	s.rows.clear()
	s.log.clear()
	for slot := range s.confirmed {
		if s.confirmed[slot].Known {
			s.changes.suspects.add(Slot(slot))
		}
	}
}

// Forget drops the histories and the confirmed state of a slot. The slot may then be used for
// another entity.
func (s *Store) Forget(slot Slot) {
	s.confirmed[slot] = Confirmed{}
	s.log.forgetSlot(slot)
	s.changes.forgetSlot(slot)
}
