package rewind

import (
	"math/bits"
	"slices"
)

// index finds targets by their entities: a hash table with open addressing. It is made when it is first asked.
type index struct {
	known bool
	shift int      // of a hash to a cell
	cells []uint32 // number of a target, from 1; 0: none
}

// find returns the first target with an entity.
func (x *index) find(entities []uint64, entity uint64) (target int, ok bool) {
	if !x.known {
		x.fill(entities)
	}
	if len(entities) == 0 {
		return 0, false
	}
	cell := x.cellOf(entities, entity)
	return int(*cell) - 1, *cell > 0
}

// fill makes the table, of which at most half is used.
func (x *index) fill(entities []uint64) {
	x.known = true
	log := bits.Len(uint(2 * len(entities)))
	x.shift = 64 - log
	x.cells = slices.Grow(x.cells[:0], 1<<log)[:1<<log]
	clear(x.cells)
	for i, e := range entities {
		if cell := x.cellOf(entities, e); *cell == 0 {
			*cell = uint32(i) + 1
		}
	}
}

// cellOf returns the cell with an entity, or the empty one for it.
func (x *index) cellOf(entities []uint64, entity uint64) *uint32 {
	const spread = 0x9e37_79b9_7f4a_7c15 // 2^64 divided by the golden ratio
	for i := int(entity * spread >> x.shift); ; i = (i + 1) & (len(x.cells) - 1) {
		if cell := &x.cells[i]; *cell == 0 || entities[*cell-1] == entity {
			return cell
		}
	}
}
