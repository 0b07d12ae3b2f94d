package set

import (
	"iter"
	"math/bits"
)

// MaskSize bounds the numbers in a Mask. It is at least as large as the number of component types
// that an Arche world can have.
const MaskSize = 256

// Mask is a set of numbers below MaskSize, such as the ids of components or columns. Masks can be
// compared with ==.
type Mask [MaskSize / 64]uint64

// MaskOf returns the set of the given numbers.
func MaskOf(members ...int) Mask {
	var m Mask
	for _, i := range members {
		m.Set(i)
	}
	return m
}

// Set adds i.
func (m *Mask) Set(i int) { m[uint(i)>>6&3] |= 1 << (uint(i) & 63) }

// Clear removes i.
func (m *Mask) Clear(i int) { m[uint(i)>>6&3] &^= 1 << (uint(i) & 63) }

// Has reports whether i is in the set.
func (m *Mask) Has(i int) bool { return m[uint(i)>>6&3]>>(uint(i)&63)&1 != 0 }

// Holds reports whether all numbers of o are in the set.
func (m *Mask) Holds(o *Mask) bool {
	return o[0]&^m[0]|o[1]&^m[1]|o[2]&^m[2]|o[3]&^m[3] == 0
}

// IsZero reports whether the set is empty.
func (m *Mask) IsZero() bool { return m[0]|m[1]|m[2]|m[3] == 0 }

// Len returns the size of the set.
func (m *Mask) Len() int {
	return bits.OnesCount64(m[0]) + bits.OnesCount64(m[1]) + bits.OnesCount64(m[2]) + bits.OnesCount64(m[3])
}

// All iterates over the numbers of the set in ascending order. Changes of m during the loop do not
// affect it.
func (m Mask) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for at, word := range m {
			for ; word != 0; word &= word - 1 {
				if !yield(at<<6 + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}

// Next returns the smallest number in the set that is at least from, or -1.
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

// Or returns the union of both sets.
func (m Mask) Or(o Mask) Mask {
	return Mask{m[0] | o[0], m[1] | o[1], m[2] | o[2], m[3] | o[3]}
}

// Without returns the numbers in m but not in o.
func (m Mask) Without(o Mask) Mask {
	return Mask{m[0] &^ o[0], m[1] &^ o[1], m[2] &^ o[2], m[3] &^ o[3]}
}

// And returns the intersection of both sets.
func (m Mask) And(o Mask) Mask {
	return Mask{m[0] & o[0], m[1] & o[1], m[2] & o[2], m[3] & o[3]}
}
