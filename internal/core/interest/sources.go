package interest

import "github.com/entangle-ecs/entangle/internal/set"

// Source is the number of a visibility source, such as a grid. A source determines which entities
// clients see.
type Source int

// AddSource returns a new source, which shows nothing at first. Sources are added at set-up and
// cannot be removed.
func (r *Relevance) AddSource() Source {
	r.sources++
	return Source(r.sources - 1)
}

// See sets the entities that a source shows to a client from now on, in place of earlier ones. It
// takes a step for each 64 rows of entities.
func (r *Relevance) See(src Source, row int, seen set.Bitset) {
	if !r.hasClient(row) {
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

// replace makes before equal to after, which must not be longer. It adds the bits that differ to
// changed, and reports whether there are any.
func replace(before, after set.Bitset, changed *marks) (some bool) {
	rest := before[len(after):]
	before = before[:len(after)]
	for i, w := range after {
		if diff := before[i] ^ w; diff != 0 {
			before[i], some = w, true
			changed.addBits(i, diff)
		}
	}
	for i, w := range rest {
		if w != 0 {
			rest[i], some = 0, true
			changed.addBits(len(after)+i, w)
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
