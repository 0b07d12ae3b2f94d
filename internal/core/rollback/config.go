package rollback

import "github.com/entangle-ecs/entangle/internal/set"

// Config describes the columns and the length of the histories. Nothing in it may be changed after
// New.
type Config struct {
	// Ticks is the largest number of ticks that are held, the newest included; at least 1.
	Ticks int
	// Sizes is the size of a value in bytes, by column; a tag has 0. At most set.MaskSize.
	Sizes []int
	// Kept is the set of columns with a history.
	Kept Mask
	// Compared is the subset of Kept with histories that are compared with the confirmed state.
	Compared Mask
	// Relations is the subset of Compared with relation targets that are compared too.
	Relations Mask
	// Targets is the subset of Kept that are relations. An entity has at most one of them.
	Targets Mask
	// Equal reports whether two values that differ in bytes are equal. It must not keep its
	// arguments. With nil, values are equal if their bytes are.
	Equal func(col int, predicted, confirmed []byte) bool
	// Gather copies values of a size from some places of one column to the first ones of
	// another. It must not keep its arguments. With nil, a plain loop does that.
	Gather func(size int, to, from []byte, places []uint32)
	// Unlike returns the first index, from one on, at which a column's value differs from the value
	// at its place in another column, or -1. With nil, a plain loop does that.
	Unlike func(size int, a, b []byte, places []uint32, from int) int
}

// Store holds the histories and the confirmed state of one client's prediction. The package
// documentation shows how to drive it.
type Store struct {
	cfg   Config
	slots int // one more than the largest slot for which there is memory

	rows  ring
	shelf row  // the columns that Shelve took out
	laid  Mask // columns that a tick has memory for
	turning
	log log

	confirmed []Confirmed // by slot
	values    [][]byte    // confirmed values, by column and slot
	changes   changes
}

// New returns an empty store.
func New(cfg Config) *Store {
	cfg.Ticks = max(1, cfg.Ticks)
	return &Store{
		cfg: cfg, rows: newRing(cfg.Ticks, len(cfg.Sizes)),
		values: make([][]byte, len(cfg.Sizes)), shelf: row{cols: make([][]byte, len(cfg.Sizes))},
		changes: changes{compared: cfg.Compared, known: make([]set.Bitset, len(cfg.Sizes))},
	}
}

// Grow makes room for slots below a number; it never shrinks. Results of Column, Confirmed,
// ConfirmedValue and ConfirmedColumn from before are stale afterwards.
func (s *Store) Grow(slots int) {
	if slots <= s.slots {
		return
	}
	s.slots, s.turning.of = slots, nil
	s.confirmed = fit(s.confirmed, slots)
	s.log.grow(slots)
	s.changes.grow(slots)
}

// fit returns a slice of at least n elements that begins with those of a. When it grows, it
// reserves a quarter more.
func fit[T any](a []T, n int) []T {
	if n <= len(a) {
		return a
	}
	if n <= cap(a) {
		return a[:n]
	}
	if len(a) == 0 {
		return make([]T, n)
	}
	b := make([]T, n, n+n/4)
	copy(b, a)
	return b
}
