package rollback

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/set"
)

// Confirmed is the confirmed state of one slot without its values, which are in columns. The code
// that applies records of the server writes it and then calls Note.
type Confirmed struct {
	Tick   entangle.Tick // the tick of the record that it came with
	Known  bool          // some confirmed state of the slot has arrived
	Gone   bool          // the entity was despawned, as of Tick
	Mask   set.Mask      // the columns that the entity has, compared or not
	Target uint64        // the target of its relation, packed like Form.Target
}

// Confirmed returns the confirmed state of a slot for reading and writing, until the next Grow.
func (s *Store) Confirmed(slot Slot) *Confirmed { return &s.confirmed[slot] }

// ConfirmedValue returns the memory of one confirmed value, until the next Grow. The value is only
// valid if the column is in the slot's Confirmed.Mask.
func (s *Store) ConfirmedValue(slot Slot, col int) []byte {
	size := s.cfg.Sizes[col]
	at, end := int(slot)*size, (int(slot)+1)*size
	return s.ConfirmedColumn(col)[at:end:end]
}

// ConfirmedColumn returns the confirmed values of a column, indexed by slot like Column.
func (s *Store) ConfirmedColumn(col int) []byte {
	s.values[col] = fit(s.values[col], s.slots*s.cfg.Sizes[col])
	return s.values[col]
}

// Note records that the confirmed state of a slot has changed. Call it after each write to its
// Confirmed or its confirmed values.
func (s *Store) Note(slot Slot) { s.changes.changed.add(slot) }

// NoteValues sets the Confirmed.Tick of a slot of which only confirmed values have changed. It is
// cheaper than Note if the confirmed tick reaches that tick before the next Compare.
func (s *Store) NoteValues(slot Slot, tick entangle.Tick) {
	s.confirmed[slot].Tick = tick
	s.changes.update(slot, tick)
}

// Exclude excludes a slot from Compare, Correct, Wanted and Due, or includes it again if out is
// false.
func (s *Store) Exclude(slot Slot, out bool) {
	s.changes.excluded.Assign(int(slot), out)
	s.changes.changed.add(slot)
}

// binds reports whether a slot has confirmed state and is not excluded.
func (s *Store) binds(slot Slot) bool {
	return s.confirmed[slot].Known && !s.changes.excluded.Has(int(slot))
}
