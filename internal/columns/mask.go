package columns

import "math/bits"

// Mask is a set of columns: bit i stands for the i-th Column given to New.
type Mask [4]uint64

// Has reports whether column col is in the set.
func (m *Mask) Has(col int) bool { return m[uint(col)>>6&3]>>(uint(col)&63)&1 != 0 }

// Set adds column col to the set.
func (m *Mask) Set(col int) { m[uint(col)>>6&3] |= 1 << (uint(col) & 63) }

// Clear removes column col from the set.
func (m *Mask) Clear(col int) { m[uint(col)>>6&3] &^= 1 << (uint(col) & 63) }

// IsZero reports whether the set is empty.
func (m *Mask) IsZero() bool { return m[0]|m[1]|m[2]|m[3] == 0 }

// Count returns the number of columns in the set.
func (m *Mask) Count() int {
	return bits.OnesCount64(m[0]) + bits.OnesCount64(m[1]) + bits.OnesCount64(m[2]) + bits.OnesCount64(m[3])
}

// And returns the columns that are in both sets.
func (m Mask) And(o Mask) Mask {
	return Mask{m[0] & o[0], m[1] & o[1], m[2] & o[2], m[3] & o[3]}
}

// Or returns the columns that are in at least one of the sets.
func (m Mask) Or(o Mask) Mask {
	return Mask{m[0] | o[0], m[1] | o[1], m[2] | o[2], m[3] | o[3]}
}

// Without returns the columns that are in m and not in o.
func (m Mask) Without(o Mask) Mask {
	return Mask{m[0] &^ o[0], m[1] &^ o[1], m[2] &^ o[2], m[3] &^ o[3]}
}

// Next returns the first column of the set from the given one on, or -1. It drives a loop:
// for c := m.Next(0); c >= 0; c = m.Next(c + 1).
func (m *Mask) Next(from int) int {
	for word := from >> 6; word < len(m); word++ {
		rest := m[word]
		if word == from>>6 {
			rest &= ^uint64(0) << (uint(from) & 63)
		}
		if rest != 0 {
			return word<<6 + bits.TrailingZeros64(rest)
		}
	}
	return -1
}
