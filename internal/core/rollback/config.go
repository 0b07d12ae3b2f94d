package rollback

// Config describes the columns and how far back they reach. Nothing in it may be
// changed after New.
type Config struct {
	// Ticks is how many ticks are held at most, the newest included; at least 1.
	Ticks int
	// Sizes is the bytes of one value by column; 0: a tag. At most repl.MaxComponents.
	Sizes []int
	// Kept are the columns that have a history.
	Kept Mask
	// Compared are those of Kept whose history is held against the server's word.
	Compared Mask
	// Relations are those of Compared whose target is compared too.
	Relations Mask
	// Targets are those of Kept that are relations, of which an entity has at most one.
	Targets Mask
	// Equal decides whether two values whose bytes differ differ at all. It must not
	// keep its arguments. Nil: byte equality is value equality.
	Equal func(col int, predicted, confirmed []byte) bool
	// Gather copies values of a size from some places of one column to the first ones of
	// another, faster than one after the other. It must not keep its arguments. Nil: one
	// after the other.
	Gather func(size int, to, from []byte, places []uint32)
	// Unlike is the first one, from one on, of a column's values that is another one than that
	// at its place in another column, -1: none. Nil likewise.
	Unlike func(size int, a, b []byte, places []uint32, from int) int
}

// Store is the memory of one client's prediction. The package documentation says how it
// is driven.
type Store struct {
	cfg   Config
	slots int // one more than the largest slot there is room for

	rows  ring
	shelf row  // what Shelve took out
	laid  Mask // columns that a tick has memory for
	turning
	log log

	word      []Confirmed // by slot
	confirmed [][]byte    // by column, by slot
	news      news
}

// New returns an empty store.
func New(cfg Config) *Store {
	cfg.Ticks = max(1, cfg.Ticks)
	return &Store{
		cfg: cfg, rows: newRing(cfg.Ticks, len(cfg.Sizes)),
		confirmed: make([][]byte, len(cfg.Sizes)), shelf: row{cols: make([][]byte, len(cfg.Sizes))},
		news: news{compared: cfg.Compared, known: make([]set, len(cfg.Sizes))},
	}
}

// Grow makes room for slots below a number; it never shrinks. What was returned by
// Column, Confirmed, ConfirmedValue and ConfirmedColumn before is stale after it.
func (s *Store) Grow(slots int) {
	if slots <= s.slots {
		return
	}
	s.slots, s.turning.of = slots, nil
	s.word = fit(s.word, slots)
	s.log.grow(slots)
	s.news.grow(slots)
}

// fit returns a slice of at least n elements that begins with those of a. One that grows
// gets room to grow by a quarter.
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
