package channel

import (
	"slices"
	"time"
)

// part is the body of one received frame: a whole message or one fragment.
type part struct {
	index uint8
	body  []byte
}

// incoming is a message that cannot be delivered yet: fragments or an earlier message are missing.
// It holds only the fragments that arrived.
type incoming struct {
	channel *inChannel
	id      uint16
	final   uint8 // index of the last fragment; 0 for a whole message
	cost    int32
	parts   []part  // sorted by index
	first   [1]part // backs parts of a message with one part
	age     *age    // set for an unreliable message; kept when this value is reused
}

// age is an element of heldMessages.byAge: an incomplete unreliable message. It is a separate
// allocation, because reliable messages, of which there can be five times as many, do not need it.
type age struct {
	of           *incoming
	since        time.Duration
	older, newer *age
}

func (p *incoming) whole() bool { return p.final == 0 }

func (p *incoming) complete() bool { return len(p.parts) == int(p.final)+1 }

// findPart returns the index of a fragment in parts, or where it would be inserted.
func (p *incoming) findPart(index uint8) (int, bool) {
	if n := len(p.parts); n == 0 || p.parts[n-1].index < index { // fragments mostly arrive in order
		return n, false
	}
	return slices.BinarySearchFunc(p.parts, index, func(one part, index uint8) int { return int(one.index) - int(index) })
}

// reassemble writes the whole message to the start of dst, which must be long enough.
func (p *incoming) reassemble(dst []byte) []byte {
	size := 0
	for _, one := range p.parts {
		size += copy(dst[int(one.index)*FragmentSize:], one.body)
	}
	return dst[:size]
}

// partCost is what one part adds to the cost of its message; see cost.
func partCost(final uint8, n int) int {
	if final == 0 {
		return classSize(n)
	}
	return fragmentOverhead + classSize(n)
}
