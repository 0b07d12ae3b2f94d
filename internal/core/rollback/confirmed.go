package rollback

import "github.com/entangle-ecs/entangle"

// Confirmed is the confirmed state of one slot, without its values, which are in columns. The code
// that applies the server's records writes it, and then calls Note.
type Confirmed struct {
	Tick   entangle.Tick // the tick of the record that brought it
	Known  bool          // some confirmed state of the slot has arrived
	Gone   bool          // the entity is despawned, as of Tick
	Mask   Mask          // the columns that the entity has, compared or not
	Target uint64        // the target of its relation, packed as Form.Target
}

// Confirmed returns the confirmed state of a slot, to be read and written until the next Grow.
func (s *Store) Confirmed(slot Slot) *Confirmed { return &s.confirmed[slot] }

// ConfirmedValue returns the memory of one confirmed value, until the next Grow. It is valid only
// if Confirmed has the column.
func (s *Store) ConfirmedValue(slot Slot, col int) []byte {
	size := s.cfg.Sizes[col]
	at, end := int(slot)*size, (int(slot)+1)*size
	return s.ConfirmedColumn(col)[at:end:end]
}

// ConfirmedColumn returns the confirmed values of a column, by slot, like Column.
func (s *Store) ConfirmedColumn(col int) []byte {
	s.values[col] = fit(s.values[col], s.slots*s.cfg.Sizes[col])
	return s.values[col]
}

// Note marks a slot as changed. Call it after a write to its Confirmed or to its confirmed values.
func (s *Store) Note(slot Slot) { s.changes.fresh.add(slot) }

// NoteValues sets Confirmed.Tick of a slot after only its confirmed values have changed. It
// costs no further work if the confirmed tick reaches that tick before the next Compare.
func (s *Store) NoteValues(slot Slot, tick entangle.Tick) {
	s.confirmed[slot].Tick = tick
	s.changes.update(slot, tick)
}

// Exclude excludes a slot from Compare, Correct, Wanted and Due, or includes it again.
func (s *Store) Exclude(slot Slot, out bool) {
	s.changes.excluded.Assign(int(slot), out)
	s.changes.fresh.add(slot)
}

// binds reports whether a slot has confirmed state and is not excluded.
func (s *Store) binds(slot Slot) bool {
	return s.confirmed[slot].Known && !s.changes.excluded.Has(int(slot))
}
