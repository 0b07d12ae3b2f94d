package snapshot

import "github.com/entangle-ecs/entangle/internal/set"

// functions are the functions of single entities in place of those of the Kind of a column.
type functions struct {
	has set.Bitset // slots
	of  map[Slot]func(dst, a, b []byte, t float64)
}

// SetFunction sets how a column of one entity is blended, in place of Blend, Each and Curve of its
// Kind: blend is a Kind.Blend that is called for one value. It does not continue beyond the newest
// sample. nil is the Kind's again. A function lasts until the slot is removed. An entity on its way
// moves on from its shown values.
func (s *Store) SetFunction(slot Slot, col int, blend func(dst, a, b []byte, t float64)) {
	f, e := &s.functions[col], &s.entities[slot]
	if s.members[slot].class == nil || !s.sampled.Has(col) || blend == nil && !f.has.Has(int(slot)) {
		return
	}
	if e.shown && (!e.resting() || s.kinds[col].Extrapolate > 0) {
		s.Rebase(slot, set.Mask{}, nil)
	}
	if blend == nil {
		s.removeFunction(slot, col)
		return
	}
	if f.of == nil {
		f.of = map[Slot]func(dst, a, b []byte, t float64){}
	}
	f.of[slot] = blend
	f.has.Grow(int(slot) + 1)
	f.has.Set(int(slot))
}

func (s *Store) removeFunction(slot Slot, col int) {
	if f := &s.functions[col]; f.has.Has(int(slot)) {
		delete(f.of, slot)
		f.has.Clear(int(slot))
	}
}

// showByFunction overwrites the values of selected slots that have a function of their own.
func (s *Store) showByFunction(col int, dst []byte) {
	f, sel, size := &s.functions[col], &s.selected, s.kinds[col].Size
	for row, slot := range sel.slots {
		if !f.has.Has(int(slot)) {
			continue
		}
		at, from, to, t := dst[row*size:(row+1)*size], s.value(col, sel.from[row]), s.value(col, sel.to[row]), sel.share[row]
		switch {
		case !(t > 0):
			copy(at, from)
		case t == 1:
			copy(at, to)
		default:
			f.of[slot](at, from, to, float64(t))
		}
	}
}
