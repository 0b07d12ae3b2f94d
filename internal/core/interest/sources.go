package interest

import "github.com/entangle-ecs/entangle/internal/core/repl"

// Source is one that finds out what clients see, such as one grid.
type Source int

// Add returns a new source, which shows nothing to anybody yet. Sources are made at
// set-up and stay.
func (r *Relevance) Add() Source {
	r.sources++
	return Source(r.sources - 1)
}

// See takes what a source shows to a client from now on, in place of what it showed
// before. It costs a word for each 64 rows of entities.
func (r *Relevance) See(src Source, row int, seen repl.Bitset) {
	if !r.has(row) {
		return
	}
	r.clearEnded()
	c := &r.clients[row]
	for len(c.seen) <= int(src) {
		c.seen = append(c.seen, nil)
	}
	before := &c.seen[src]
	before.Grow(len(seen) * 64)
	c.changed.grow(len(*before) * 64)
	if replace(*before, seen, &c.changed) {
		r.changed.Set(row)
	}
}

// replace makes before equal to after, which is no longer, adds what was not to changed,
// and reports whether there was any.
func replace(before, after repl.Bitset, changed *marks) (some bool) {
	rest := before[len(after):]
	before = before[:len(after)]
	for i, w := range after {
		if diff := before[i] ^ w; diff != 0 {
			before[i], some = w, true
			changed.join(i, diff)
		}
	}
	for i, w := range rest {
		if w != 0 {
			rest[i], some = 0, true
			changed.join(len(after)+i, w)
		}
	}
	return some
}

// sees reports whether any source shows an entity to a client.
func (c *client) sees(entity int) bool {
	for _, seen := range c.seen {
		if seen.Has(entity) {
			return true
		}
	}
	return false
}
