package columns

import (
	"bytes"
	"math"
	"slices"
	"unsafe"

	"github.com/mlange-42/arche/ecs"
)

// Sign writes an entity into its own component: one that is as large as an Entity
// and that nobody else writes to. A row of that column then says whose it is.
func (wr *Writer) Sign(e ecs.Entity, id ecs.ID) {
	if wr.sizeOf(id) != signatureSize {
		panic("columns: a signature is an Entity: give it a component of that size")
	}
	*(*ecs.Entity)(wr.world.Get(e, id)) = e
}

const signatureSize = int(unsafe.Sizeof(ecs.Entity{}))

// Stretch finds where many entities have their values that are of one archetype as
// a rule and lie there one after the other. It asks Arche where the first and one of
// the last are, which gives it a stretch of rows that are there; of the rows between
// them the signatures say whose they are. In all columns of an archetype an entity
// has the same row. Nothing is kept from one Find to the next, since rows stay where
// they are only until the next change of structure.
type Stretch struct {
	// Rows says for each entity how many rows behind the first it lies, or Stray for
	// one that is elsewhere. It is to be read only.
	Rows []int32
	// Strays is how many of them are strays.
	Strays int
	// Straight: each lies right behind the one before it.
	Straight bool

	rows []int32 // what Rows is as a rule
	line []int32 // what it is where they are straight: 0, 1 and so on

	signed    *Cells
	first     ecs.Entity
	base      unsafe.Pointer // the first one's signature
	low, high int32          // rows between which, ends included, all are of its archetype
	foreign   int            // entities that were found to be of others
}

// Stray stands for the row of an entity that is not in the first one's archetype,
// or was not seen to be.
const Stray = math.MinInt32

const (
	// maxForeign is how many entities of other archetypes are met before those that
	// do not lie between known ones are no longer looked at.
	maxForeign = 4
	// enough is how many entities make a stretch: it then ends before a stray.
	enough = 8
)

// Find looks for entities, of which there is at least one, by their signatures. It
// returns how many it found before one that is not alive or has none.
func (s *Stretch) Find(signed *Cells, entities []ecs.Entity) (n int) {
	s.Rows, s.Strays, s.Straight = nil, 0, true
	if !s.begin(signed, entities) {
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
			if row = s.seek(e); row == lost || row == Stray && i >= enough {
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

// isLine reports whether all entities lie one right behind the other, in the order that
// they are in.
func (s *Stretch) isLine(entities []ecs.Entity) bool {
	if int(s.high) < len(entities)-1 {
		return false
	}
	size := len(entities) * signatureSize
	return bytes.Equal(unsafe.Slice((*byte)(s.base), size), unsafe.Slice((*byte)(unsafe.Pointer(&entities[0])), size))
}

// lineOf returns the rows of n entities that do.
func (s *Stretch) lineOf(n int) []int32 {
	for row := len(s.line); row < n; row++ {
		s.line = append(s.line, int32(row))
	}
	return s.line[:n]
}

// lost stands for the row of an entity that is not alive or has no signature.
const lost = Stray + 1

func (s *Stretch) note(row int32, i int) {
	if row != int32(i) {
		s.Straight = false
	}
	if row == Stray {
		s.Strays++
	}
}

// begin finds the first entity, and one as far behind it as is in its archetype.
func (s *Stretch) begin(signed *Cells, entities []ecs.Entity) bool {
	s.signed, s.first, s.foreign = signed, entities[0], 0
	s.low, s.high = 0, 0
	if s.base = s.place(s.first); s.base == nil {
		return false
	}
	for i := len(entities) - 1; i > 0; i /= 2 {
		if row := s.seek(entities[i]); row != Stray && row != lost {
			break
		}
	}
	s.foreign = 0
	return true
}

// place returns where an entity's signature is, nil if it has none.
func (s *Stretch) place(e ecs.Entity) unsafe.Pointer {
	if !s.signed.world.Alive(e) {
		return nil
	}
	return s.signed.world.GetUnchecked(e, s.signed.id)
}

// seek asks Arche for an entity's row.
func (s *Stretch) seek(e ecs.Entity) int32 {
	at := s.place(e)
	if at == nil {
		return lost
	}
	far := (int(uintptr(at)) - int(uintptr(s.base))) / signatureSize
	if row := int32(far); int(row) == far && row >= s.low && row <= s.high {
		return row
	}
	if s.foreign == maxForeign || !s.akin(e) {
		s.foreign = min(s.foreign+1, maxForeign)
		return Stray
	}
	row := int32(far)
	s.low, s.high = min(s.low, row), max(s.high, row)
	return row
}

// akin reports whether an entity is of the first one's archetype.
func (s *Stretch) akin(e ecs.Entity) bool {
	w, id := s.signed.world, s.signed.id
	return w.Mask(e) == w.Mask(s.first) && w.Relations().GetUnchecked(e, id) == w.Relations().GetUnchecked(s.first, id)
}
