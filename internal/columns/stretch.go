package columns

import (
	"bytes"
	"math"
	"slices"
	"unsafe"

	"github.com/mlange-42/arche/ecs"
)

// Sign writes an entity into its own component, which must have the size of an ecs.Entity and must
// not be written by others. From this signature, Stretch tells which entity is in a row.
func (wr *Writer) Sign(e ecs.Entity, id ecs.ID) {
	if wr.sizeOf(id) != signatureSize {
		panic("columns: a signature is an Entity: use a component of that size")
	}
	*(*ecs.Entity)(wr.world.Get(e, id)) = e
}

const signatureSize = int(unsafe.Sizeof(ecs.Entity{}))

// Stretch finds the rows of many entities that mostly follow each other in one archetype. It asks
// Arche only for the first entity and for one as far behind it as possible. Between these two all
// rows exist, and the signature in each of them tells which entity it is. An entity has the same
// row in all columns of its archetype. Each call of Find starts from nothing, because rows may move
// with the next change of structure.
type Stretch struct {
	// Rows has the row of each entity, relative to the first one, or Elsewhere for an entity in
	// another archetype. It must not be modified.
	Rows []int32
	// Others is the number of entities with the row Elsewhere.
	Others int
	// Straight is true if each row directly follows the previous one.
	Straight bool

	rows []int32 // memory of Rows
	line []int32 // memory of Rows if Straight: 0, 1 and so on

	signed    *Cells
	first     ecs.Entity
	base      unsafe.Pointer // the signature of the first entity
	low, high int32          // rows that are known to exist in the first entity's archetype
	foreign   int            // number of entities that were found in other archetypes
}

// Elsewhere is the row of an entity that is not in the archetype of the first one, or that Find did
// not search there.
const Elsewhere = math.MinInt32

const (
	// maxForeign is how many entities are found in other archetypes before Find stops asking Arche
	// for entities outside of the known rows.
	maxForeign = 4
	// enough is the number of entities from which on Find stops before one that is elsewhere.
	enough = 8
)

// Find finds the rows of entities, which must not be empty, by their signatures. It returns how
// many it found; it stops at an entity that is not alive or has no signature.
func (s *Stretch) Find(signed *Cells, entities []ecs.Entity) (n int) {
	s.Rows, s.Others, s.Straight = nil, 0, true
	if !s.locateFirst(signed, entities) {
		return 0
	}
	if s.isLine(entities) {
		s.Rows = s.lineOf(len(entities))
		return len(entities)
	}
	s.rows = slices.Grow(s.rows[:0], len(entities))[:len(entities)]
	rows := s.rows
	base, low, high, row := s.base, s.low, s.high, int32(0)
	for i, e := range entities {
		if row < low || row > high || *(*ecs.Entity)(unsafe.Add(base, int(row)*signatureSize)) != e {
			if row = s.seek(e); row == lost || row == Elsewhere && i >= enough {
				break
			}
			s.note(row, i)
			low, high = s.low, s.high
		}
		rows[i] = row
		row++
		n++
	}
	s.Rows = rows[:n]
	return n
}

// isLine reports whether all entities are in consecutive rows, in their order.
func (s *Stretch) isLine(entities []ecs.Entity) bool {
	if int(s.high) < len(entities)-1 {
		return false
	}
	size := len(entities) * signatureSize
	return bytes.Equal(unsafe.Slice((*byte)(s.base), size), unsafe.Slice((*byte)(unsafe.Pointer(&entities[0])), size))
}

// lineOf returns the n rows 0, 1 and so on.
func (s *Stretch) lineOf(n int) []int32 {
	for row := len(s.line); row < n; row++ {
		s.line = append(s.line, int32(row))
	}
	return s.line[:n]
}

// lost is the row of an entity that is not alive or has no signature.
const lost = Elsewhere + 1

func (s *Stretch) note(row int32, i int) {
	if row != int32(i) {
		s.Straight = false
	}
	if row == Elsewhere {
		s.Others++
	}
}

// locateFirst finds the first of the entities, and one as late in the list as possible that has the
// same archetype.
func (s *Stretch) locateFirst(signed *Cells, entities []ecs.Entity) bool {
	s.signed, s.first, s.foreign = signed, entities[0], 0
	s.low, s.high = 0, 0
	if s.base = s.place(s.first); s.base == nil {
		return false
	}
	for i := len(entities) - 1; i > 0; i /= 2 {
		if row := s.seek(entities[i]); row != Elsewhere && row != lost {
			break
		}
	}
	s.foreign = 0
	return true
}

// place returns the address of an entity's signature, or nil if it has none.
func (s *Stretch) place(e ecs.Entity) unsafe.Pointer {
	if !s.signed.world.Alive(e) {
		return nil
	}
	return s.signed.world.GetUnchecked(e, s.signed.id)
}

// seek gets an entity's row from Arche.
func (s *Stretch) seek(e ecs.Entity) int32 {
	at := s.place(e)
	if at == nil {
		return lost
	}
	far := (int(uintptr(at)) - int(uintptr(s.base))) / signatureSize
	if row := int32(far); int(row) == far && row >= s.low && row <= s.high {
		return row
	}
	if s.foreign == maxForeign || !s.sameArchetype(e) {
		s.foreign = min(s.foreign+1, maxForeign)
		return Elsewhere
	}
	row := int32(far)
	s.low, s.high = min(s.low, row), max(s.high, row)
	return row
}

// sameArchetype reports whether an entity is in the archetype of the first one.
func (s *Stretch) sameArchetype(e ecs.Entity) bool {
	w, id := s.signed.world, s.signed.id
	return w.Mask(e) == w.Mask(s.first) && w.Relations().GetUnchecked(e, id) == w.Relations().GetUnchecked(s.first, id)
}
