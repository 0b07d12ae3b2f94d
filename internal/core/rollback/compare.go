package rollback

import (
	"bytes"

	"github.com/entangle-ecs/entangle"
)

const (
	// chunkBytes is the number of bytes of a column that are compared at once.
	chunkBytes = 4096
	// pieceBytes is the size of the pieces into which a chunk that differs is divided, before
	// single values are compared.
	pieceBytes = 256
)

// Compare compares the confirmed state with the histories and reports each difference, in the order
// of columns and slots. If the confirmed state of a slot is not newer than the confirmed tick, it
// is also the server's state at that tick, and is compared there. If it is newer and arrived since
// the last Compare, it is compared once at its own tick, unless that is after the present tick.
// formOf returns the present form of a slot.
//
// Without a history of the confirmed tick, nothing is compared at that tick; a later call does it.
func (s *Store) Compare(confirmed, present entangle.Tick, formOf func(Slot) Form, report func(Mismatch)) {
	s.applyConfirmed(confirmed)
	c := comparison{s: s, formOf: formOf, report: report}
	if s.Holds(confirmed) {
		c.structure(confirmed)
		c.values(confirmed)
		clear(s.changes.mismatched)
	}
	for _, slot := range s.changes.uncompared.slots {
		if tick := s.confirmed[slot].Tick; s.binds(slot) && confirmed.Before(tick) && !present.Before(tick) && s.Holds(tick) {
			c.one(slot, tick)
		}
	}
	s.changes.uncompared.clear()
}

// comparison is the state of one Compare.
type comparison struct {
	s      *Store
	formOf func(Slot) Form
	report func(Mismatch)
}

// structure compares the forms of the slots in suspects at tick f.
func (c *comparison) structure(f entangle.Tick) {
	n := &c.s.changes
	for i := len(n.suspects.slots) - 1; i >= 0; i-- {
		slot := n.suspects.slots[i]
		if f.Before(c.s.confirmed[slot].Tick) {
			continue
		}
		if c.compareForm(slot, f) {
			if r := c.s.log.newest(slot); r == nil || !f.Before(r.tick) {
				n.suspects.remove(slot)
			}
		} else {
			n.mismatched.Assign(int(slot), true)
		}
	}
}

// compareForm compares the form of one slot at a tick. It reports a difference, or returns true.
func (c *comparison) compareForm(slot Slot, tick entangle.Tick) (same bool) {
	if !c.s.binds(slot) {
		return true
	}
	kind, col, same := c.s.differ(&c.s.confirmed[slot], c.s.FormAt(slot, tick, c.formOf(slot)))
	if !same {
		c.report(Mismatch{slot, tick, kind, col})
	}
	return same
}

// differ returns how a form differs from the confirmed state. same is true if it does not.
func (s *Store) differ(state *Confirmed, form Form) (kind Kind, col int, same bool) {
	compared, had := s.cfg.Compared, form.Mask.And(s.cfg.Compared)
	switch {
	case state.Gone:
		return Despawned, -1, !form.Alive || form.Disabled
	case !form.Alive:
		return Spawned, -1, false
	}
	has := state.Mask.And(compared)
	if has != had {
		diff := has.Without(had).Or(had.Without(has))
		return Structure, diff.Next(0), false
	}
	if form.Disabled { // it has no compared column
		return Spawned, -1, false
	}
	relation := has.And(s.cfg.Relations)
	return Structure, relation.Next(0), relation.IsZero() || state.Target == form.Target
}

// values compares the columns of tick f.
func (c *comparison) values(f entangle.Tick) {
	s := c.s
	for col := range s.cfg.Compared.All() {
		if size := s.cfg.Sizes[col]; size > 0 && s.values[col] != nil {
			c.column(col, size, s.Column(f, col), s.ConfirmedColumn(col), f)
		}
	}
}

// column compares one column by runs of slots.
func (c *comparison) column(col, size int, predicted, confirmed []byte, f entangle.Tick) {
	known := c.s.changes.known[col]
	for start, end := known.NextRun(0); start < end; start, end = known.NextRun(end) {
		a, b := predicted[start*size:end*size], confirmed[start*size:end*size]
		for n := Differ(a, b, size, 0); n >= 0; n = Differ(a, b, size, n+1) {
			c.compareValue(Slot(start+n), col, predicted, confirmed, f)
		}
	}
}

// Differ returns the index of the first value, at or after index from, that has other bytes in a
// than in b, or -1 if there is none. Both columns must have the same length.
func Differ(a, b []byte, size, from int) int {
	for at := from * size; at < len(a); {
		end := len(a)
		for _, most := range [...]int{chunkBytes, pieceBytes, 0} {
			end = min(at+max(1, most/size)*size, len(a))
			if bytes.Equal(a[at:end], b[at:end]) {
				break
			}
			if most == 0 {
				return at / size
			}
		}
		at = end
	}
	return -1
}

// compareValue compares one value.
func (c *comparison) compareValue(slot Slot, col int, predicted, confirmed []byte, tick entangle.Tick) {
	size := c.s.cfg.Sizes[col]
	at, end := int(slot)*size, (int(slot)+1)*size
	a, b := predicted[at:end:end], confirmed[at:end:end]
	if bytes.Equal(a, b) || c.s.changes.mismatched.Has(int(slot)) {
		return
	}
	if equal := c.s.cfg.Equal; equal == nil || !equal(col, a, b) {
		c.report(Mismatch{slot, tick, Value, col})
	}
}

// one compares one slot at the tick of its confirmed state.
func (c *comparison) one(slot Slot, tick entangle.Tick) {
	if !c.compareForm(slot, tick) || c.s.confirmed[slot].Gone {
		return
	}
	for col := range c.s.confirmed[slot].Mask.And(c.s.cfg.Compared).All() {
		if c.s.cfg.Sizes[col] > 0 {
			c.compareValue(slot, col, c.s.Column(tick, col), c.s.ConfirmedColumn(col), tick)
		}
	}
}
