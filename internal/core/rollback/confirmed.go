package rollback

import "github.com/entangle-ecs/entangle"

// Confirmed is the server's word of one slot; the values are in columns. Whoever applies
// what the server sends writes it, and then calls Note.
type Confirmed struct {
	Tick   entangle.Tick // of the record that said it
	Known  bool          // the server said something
	Gone   bool          // it is despawned, as of Tick
	Mask   Mask          // the columns that it has, compared or not
	Target uint64        // of its relation, packed as Form.Target
}

// Confirmed returns the server's word of a slot, to be read and written until the next
// Grow.
func (s *Store) Confirmed(slot Slot) *Confirmed { return &s.word[slot] }

// ConfirmedValue returns the memory of one value as the server said it, until the next
// Grow. It means something only if Confirmed has the column.
func (s *Store) ConfirmedValue(slot Slot, col int) []byte {
	size := s.cfg.Sizes[col]
	at, end := int(slot)*size, (int(slot)+1)*size
	return s.ConfirmedColumn(col)[at:end:end]
}

// ConfirmedColumn returns a column as the server said it, by slot, like Column.
func (s *Store) ConfirmedColumn(col int) []byte {
	s.confirmed[col] = fit(s.confirmed[col], s.slots*s.cfg.Sizes[col])
	return s.confirmed[col]
}

// Note says that there is news of a slot in Confirmed or its values.
func (s *Store) Note(slot Slot) { s.news.fresh.add(slot) }

// NoteValues says that Confirmed.Tick is another one, which it sets, and values are, and
// nothing else. While the frontier keeps up, that costs nothing more.
func (s *Store) NoteValues(slot Slot, tick entangle.Tick) {
	s.word[slot].Tick = tick
	s.news.update(slot, tick)
}

// Exclude takes a slot out of what is compared, corrected, wanted, and listed by Due and
// Plan, or in again.
func (s *Store) Exclude(slot Slot, out bool) {
	s.news.excluded.put(int(slot), out)
	s.news.fresh.add(slot)
}

// binds reports whether what the server said of a slot holds for the prediction at all.
func (s *Store) binds(slot Slot) bool {
	return s.word[slot].Known && !s.news.excluded.has(int(slot))
}
