package repl

import "math/bits"

// MaxComponents is how many component types a mask can tell apart: at least as
// many as an Arche world can hold.
const MaxComponents = 256

// Mask is a set of component numbers.
type Mask [MaxComponents / 64]uint64

// MaskOf returns the set of the given component numbers.
func MaskOf(comps ...int) Mask {
	var m Mask
	for _, c := range comps {
		m.Set(c)
	}
	return m
}

// Set adds a component number, below MaxComponents.
func (m *Mask) Set(comp int) { m[comp>>6] |= 1 << (comp & 63) }

// Clear takes a component number out.
func (m *Mask) Clear(comp int) { m[comp>>6] &^= 1 << (comp & 63) }

// Has reports whether a component number is in the set.
func (m *Mask) Has(comp int) bool { return m[comp>>6]&(1<<(comp&63)) != 0 }

// Holds reports whether all of o is in the set.
func (m *Mask) Holds(o *Mask) bool {
	return o[0]&^m[0]|o[1]&^m[1]|o[2]&^m[2]|o[3]&^m[3] == 0
}

// IsZero reports whether the set is empty.
func (m *Mask) IsZero() bool { return *m == Mask{} }

// Len returns the size of the set.
func (m *Mask) Len() int {
	n := 0
	for _, w := range m {
		n += bits.OnesCount64(w)
	}
	return n
}

// Next returns the smallest number in the set that is at least from, or -1.
func (m *Mask) Next(from int) int {
	for i := from >> 6; i < len(m); i++ {
		w := m[i]
		if i == from>>6 {
			w &= ^uint64(0) << (from & 63)
		}
		if w != 0 {
			return i<<6 + bits.TrailingZeros64(w)
		}
	}
	return -1
}

// Union returns the components in either set.
func (m Mask) Union(o Mask) Mask {
	for i := range m {
		m[i] |= o[i]
	}
	return m
}

// Without returns the components in m but not in o.
func (m Mask) Without(o Mask) Mask {
	for i := range m {
		m[i] &^= o[i]
	}
	return m
}

// And returns the components in both sets.
func (m Mask) And(o Mask) Mask {
	for i := range m {
		m[i] &= o[i]
	}
	return m
}
