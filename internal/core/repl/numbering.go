package repl

import "slices"

// Numbering numbers different keys from 1 on, in the order in which they come. Finding a key
// costs the same however many there are, and Reset keeps the memory.
type Numbering[K ~uint32 | ~uint64] struct {
	keys    []K
	numbers map[K]uint32 // of all keys, if there are more than fewKeys
}

// fewKeys is up to how many keys comparing with each is cheaper than a map.
const fewKeys = 16

// Keys returns all keys, in the order of their numbers.
func (n *Numbering[K]) Keys() []K { return n.keys }

// Reset forgets all keys.
func (n *Numbering[K]) Reset() {
	n.keys = n.keys[:0]
	clear(n.numbers)
}

// Find returns the number of a key, 0 if it has none.
func (n *Numbering[K]) Find(key K) uint32 {
	if len(n.keys) > fewKeys {
		return n.numbers[key]
	}
	return uint32(slices.Index(n.keys, key) + 1)
}

// Add gives the next number to a key that has none.
func (n *Numbering[K]) Add(key K) uint32 {
	n.keys = append(n.keys, key)
	if len(n.keys) <= fewKeys {
		return uint32(len(n.keys))
	}
	if n.numbers == nil {
		n.numbers = map[K]uint32{}
	}
	for i := len(n.numbers); i < len(n.keys); i++ {
		n.numbers[n.keys[i]] = uint32(i + 1)
	}
	return uint32(len(n.keys))
}
