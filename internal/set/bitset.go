package set

import "math/bits"

// Bitset is a set of small numbers that grows. An operation on two sets takes one step for each 64
// numbers.
type Bitset []uint64

// Grow extends the set so that it can hold numbers below n.
func (b *Bitset) Grow(n int) {
	for len(*b)*64 < n {
		*b = append(*b, 0)
	}
}

// Set adds i. Grow must have been called for it.
func (b Bitset) Set(i int) { b[i>>6] |= 1 << (i & 63) }

// Clear removes i. Grow must have been called for it.
func (b Bitset) Clear(i int) { b[i>>6] &^= 1 << (i & 63) }

// Assign adds or removes i. Grow must have been called for it.
func (b Bitset) Assign(i int, in bool) {
	b.Clear(i)
	if in {
		b.Set(i)
	}
}

// SetRange adds the numbers from one on and before another. Grow must have been called for them.
func (b Bitset) SetRange(from, to int) {
	b.eachWord(from, to, func(i int, word uint64) { b[i] |= word })
}

// ClearRange removes the numbers from one on and before another. Grow must have been called for them.
func (b Bitset) ClearRange(from, to int) {
	b.eachWord(from, to, func(i int, word uint64) { b[i] &^= word })
}

// eachWord calls f for each word that holds numbers of a range, with the bits of these.
func (b Bitset) eachWord(from, to int, f func(i int, word uint64)) {
	for from < to {
		end := min(to, (from|63)+1)
		f(from>>6, ^uint64(0)<<(from&63)&(^uint64(0)>>(63-(end-1)&63)))
		from = end
	}
}

// Has reports whether i is in the set.
func (b Bitset) Has(i int) bool { return i>>6 < len(b) && b[i>>6]&(1<<(i&63)) != 0 }

// HasRange reports whether all numbers from one on and before another are in the set.
func (b Bitset) HasRange(from, to int) bool {
	if to > len(b)*64 {
		return from >= to
	}
	for from < to {
		end := min(to, (from|63)+1)
		if word := ^uint64(0) << (from & 63) & (^uint64(0) >> (63 - (end-1)&63)); b[from>>6]&word != word {
			return false
		}
		from = end
	}
	return true
}

// Join adds all numbers of o. Grow must have been called for them.
func (b Bitset) Join(o Bitset) {
	for i, w := range o {
		b[i] |= w
	}
}

// Drop removes all numbers of o.
func (b Bitset) Drop(o Bitset) {
	for i := range min(len(b), len(o)) {
		b[i] &^= o[i]
	}
}

// Reset empties the set and keeps its memory.
func (b Bitset) Reset() { clear(b) }

// Next returns the smallest number in the set that is at least from, or -1.
func (b Bitset) Next(from int) int {
	i := from >> 6
	if i >= len(b) {
		return -1
	}
	if w := b[i] & (^uint64(0) << (from & 63)); w != 0 {
		return i<<6 + bits.TrailingZeros64(w)
	}
	for i++; i < len(b); i++ {
		if b[i] != 0 {
			return i<<6 + bits.TrailingZeros64(b[i])
		}
	}
	return -1
}

// NextRun returns the first run of numbers in the set that are at least from, as start and
// exclusive end. Both are equal if there is none.
func (b Bitset) NextRun(from int) (start, end int) {
	if start = b.Next(from); start < 0 {
		return from, from
	}
	i := start >> 6
	for w := ^b[i] & (^uint64(0) << (start & 63)); ; w = ^b[i] {
		if w != 0 {
			return start, i<<6 + bits.TrailingZeros64(w)
		}
		if i++; i == len(b) {
			return start, i << 6
		}
	}
}

// Empty reports whether the set is empty.
func (b Bitset) Empty() bool {
	for _, w := range b {
		if w != 0 {
			return false
		}
	}
	return true
}

// Within returns the bits of word i of a set that lie from first to last.
func Within[T ~int | ~uint32](i, first, last T) uint64 {
	mask := ^uint64(0)
	if i == first>>6 {
		mask &= ^uint64(0) << (first & 63)
	}
	if i == last>>6 {
		mask &= ^uint64(0) >> (63 - last&63)
	}
	return mask
}
