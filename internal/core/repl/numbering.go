package repl

import mathbits "math/bits"

// Numbering numbers different keys from 1 on, in the order in which they come. Finding a key
// costs the same however many there are, and Reset keeps the memory.
type Numbering[K ~uint32 | ~uint64] struct {
	keys []K
	// cells is a hash table of the numbers of keys, 0 where there is none; the key is at its
	// home or in one of the cells behind it. Up to fewKeys it is not used.
	cells []uint32
	shift uint // of the present size of the table, 0: there is none
}

// fewKeys is up to how many keys comparing with each is cheaper than a table.
const fewKeys = 16

// Keys returns all keys, in the order of their numbers.
func (n *Numbering[K]) Keys() []K { return n.keys }

// Reset forgets all keys.
func (n *Numbering[K]) Reset() { n.keys, n.shift = n.keys[:0], 0 }

// Find returns the number of a key, 0 if it has none.
func (n *Numbering[K]) Find(key K) uint32 {
	if n.shift == 0 {
		for i, have := range n.keys {
			if have == key {
				return uint32(i + 1)
			}
		}
		return 0
	}
	return *n.cell(key)
}

// Add gives the next number to a key that has none.
func (n *Numbering[K]) Add(key K) uint32 {
	n.keys = append(n.keys, key)
	number := uint32(len(n.keys))
	switch {
	case len(n.keys) <= fewKeys:
	case n.shift == 0 || 2*len(n.keys) > n.size():
		n.rebuild()
	default:
		*n.cell(key) = number
	}
	return number
}

func (n *Numbering[K]) size() int { return 1 << (64 - n.shift) }

// cell returns the cell of a key, or the empty one that it would get.
func (n *Numbering[K]) cell(key K) *uint32 {
	const golden = 0x9e3779b97f4a7c15
	cells := n.cells[:n.size()]
	for i := uint64(key) * golden >> n.shift; ; i++ {
		c := &cells[i%uint64(len(cells))]
		if *c == 0 || n.keys[*c-1] == key {
			return c
		}
	}
}

// rebuild makes a table of four times the number of keys, so that the next is due when there
// are twice as many.
func (n *Numbering[K]) rebuild() {
	n.shift = uint(64 - mathbits.Len(uint(4*len(n.keys)-1)))
	if size := n.size(); size > len(n.cells) {
		n.cells = make([]uint32, size)
	} else {
		clear(n.cells[:size])
	}
	for i, key := range n.keys {
		*n.cell(key) = uint32(i + 1)
	}
}
