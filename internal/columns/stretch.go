package columns

import (
	"math"
	"slices"

	"github.com/mlange-42/arche/ecs"
)

// Stretch finds where many entities have their values that are of one archetype as
// a rule and lie there one after the other. It asks Arche once for each entity and
// not for each of its components: in all columns of an archetype they have the same
// rows. It keeps nothing from one Find to the next, since rows stay where they are
// only until the next change of structure.
type Stretch struct {
	// Rows says for each entity how many rows behind the first it lies, or Stray for
	// one that is elsewhere.
	Rows []int32
	// Strays is how many of them are strays.
	Strays int
	// Straight: each lies right behind the one before it.
	Straight bool

	lead      *Cells
	first     ecs.Entity
	base      uintptr
	low, high uintptr // between them, ends included, all is of the first's archetype
	foreign   int     // entities that were found to be of others
}

// Stray stands for the row of an entity that is not in the first one's archetype,
// or was not seen to be.
const Stray = math.MinInt32

// maxForeign is how many entities of other archetypes are met before all are that
// do not lie between known ones.
const maxForeign = 4

// Find looks for entities, of which there is at least one, by a component that is
// not empty. It returns how many it found before one that is not alive or has no
// such component.
func (s *Stretch) Find(lead *Cells, entities []ecs.Entity) (n int) {
	s.Rows, s.Strays, s.foreign = s.Rows[:0], 0, 0
	s.Straight = true
	s.lead, s.first = lead, entities[0]
	s.base = s.address(s.first)
	s.low, s.high = s.base, s.base
	if last := entities[len(entities)-1]; s.base != 0 {
		s.widen(last, s.address(last))
	}
	w, id, size := lead.world, lead.id, uintptr(lead.size)
	next, row := s.base, int32(0)
	rows := slices.Grow(s.Rows, len(entities))[:len(entities)]
	for i, e := range entities {
		if !w.Alive(e) {
			break
		}
		at := uintptr(w.GetUnchecked(e, id))
		if at == 0 {
			break
		}
		if at != next || at > s.high || at < s.low {
			s.Straight = false
			row = s.far(e, at)
		}
		rows[i] = row
		row++
		next = at + size
		n++
	}
	s.Rows = rows[:n]
	return n
}

// address returns where an entity's value lies, 0 if it has none.
func (s *Stretch) address(e ecs.Entity) uintptr {
	if !s.lead.world.Alive(e) {
		return 0
	}
	return uintptr(s.lead.world.GetUnchecked(e, s.lead.id))
}

// far returns the row of an entity that is not behind the one before it.
func (s *Stretch) far(e ecs.Entity, at uintptr) int32 {
	if (at < s.low || at > s.high) && !s.widen(e, at) {
		s.Strays++
		return Stray
	}
	size := uint32(s.lead.size)
	if at < s.base {
		return -int32(uint32(s.base-at) / size)
	}
	return int32(uint32(at-s.base) / size)
}

// widen takes an address in, if it is of the first one's archetype.
func (s *Stretch) widen(e ecs.Entity, at uintptr) bool {
	if at == 0 || s.foreign == maxForeign {
		return false
	}
	w := s.lead.world
	if w.Mask(e) != w.Mask(s.first) || w.Relations().GetUnchecked(e, s.lead.id) != w.Relations().GetUnchecked(s.first, s.lead.id) {
		s.foreign++
		return false
	}
	s.low, s.high = min(s.low, at), max(s.high, at)
	return true
}
