package rollback

import "github.com/entangle-ecs/entangle/internal/set"

// Config describes the columns and the length of the histories. It must not be changed after New.
type Config struct {
	// Ticks is the most ticks that are held, including the newest; at least 1.
	Ticks int
	// Sizes has the size of a value in bytes for each column; a tag has 0. It has at most
	// set.MaskSize elements.
	Sizes []int
	// Kept is the set of columns with a history.
	Kept set.Mask
	// Compared is the subset of Kept that is compared with the confirmed state.
	Compared set.Mask
	// Relations is the subset of Compared of relations whose targets are compared too.
	Relations set.Mask
	// Targets is the subset of Kept of relations. An entity has at most one of them.
	Targets set.Mask
	// Equal reports whether two values that differ in bytes are equal. It must not keep its
	// arguments. If it is nil, values are equal if their bytes are.
	Equal func(col int, predicted, confirmed []byte) bool
	// Gather copies values of the given size: value i of to becomes value places[i] of from. It
	// must not keep its arguments. If it is nil, a plain loop is used.
	Gather func(size int, to, from []byte, places []uint32)
	// Unlike returns the first index i, at or after from, at which value i of a differs from value
	// places[i] of b, or -1. If it is nil, a plain loop is used.
	Unlike func(size int, a, b []byte, places []uint32, from int) int
}

// Store holds the histories and the confirmed state of one client's prediction. The package
// documentation shows how to use it.
type Store struct {
	cfg   Config
	slots int // one more than the largest slot that Grow was called for

	rows  ring
	shelf row      // the columns that Shelve has taken out
	inUse set.Mask // columns that have memory in a tick
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

// Grow makes room for slots below a number; it never shrinks. It invalidates earlier results of
// Column, Confirmed, ConfirmedValue and ConfirmedColumn.
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
