package repl

import (
	"math/bits"

	"github.com/entangle-ecs/entangle/internal/set"
	pack "github.com/entangle-ecs/entangle/protocol/bits"
)

// maxFlagged is the number of registered components up to which a set travels
// as one bit per component; above it as a list, which is then shorter for the
// few that usually change.
const maxFlagged = 12

// Sets packs component sets of a registry with a given number of components.
type Sets struct {
	comps int
	width uint
}

// NewSets returns the packing for a registry of the given number of components.
func NewSets(comps int) Sets {
	return Sets{comps: comps, width: uint(bits.Len(uint(max(comps-1, 0))))}
}

// Append writes a set.
func (s Sets) Append(w *pack.Writer, m *set.Mask) {
	if s.comps <= maxFlagged {
		w.Bits(m[0], uint(s.comps))
		return
	}
	for c := range m.All() {
		w.Bool(true)
		w.Bits(uint64(c), s.width)
	}
	w.Bool(false)
}

// Bits returns the number of bits that Append writes.
func (s Sets) Bits(m *set.Mask) int {
	if s.comps <= maxFlagged {
		return s.comps
	}
	n := 1
	for range m.All() {
		n += 1 + int(s.width)
	}
	return n
}

// Read reads a set into m. Numbers come in rising order, each below the number of
// components: anything else is malformed, so that a set has one encoding.
func (s Sets) Read(r *pack.Reader, m *set.Mask) (ok bool) {
	*m = set.Mask{}
	if s.comps <= maxFlagged {
		m[0] = r.Peek() & (1<<s.comps - 1)
		r.Skip(uint(s.comps))
		return r.Err() == nil
	}
	last := -1
	for r.Bool() {
		c := int(r.Bits(s.width))
		if c <= last || c >= s.comps {
			return false
		}
		m.Set(c)
		last = c
	}
	return r.Err() == nil
}
