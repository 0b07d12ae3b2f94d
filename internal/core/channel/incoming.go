package channel

import (
	"slices"
	"time"
)

// part is a body as it arrived: a whole message, or one fragment.
type part struct {
	index uint8
	body  []byte
}

// incoming is a message that cannot be delivered yet: fragments or an earlier message are missing.
// It holds only the fragments that arrived.
type incoming struct {
	channel *inChannel
	id      uint16
	final   uint8 // index of the last fragment; 0: a whole message
	cost    int32
	parts   []part // by index
	first   [1]part
	age     *age // of an unreliable message; kept for later ones
}

// age is the place of an incomplete unreliable message in heldMessages.byAge. It is a separate
// allocation, since there are five times as many early reliable messages, which do not need it.
type age struct {
	of           *incoming
	since        time.Duration
	older, newer *age
}

func (p *incoming) whole() bool { return p.final == 0 }

func (p *incoming) complete() bool { return len(p.parts) == int(p.final)+1 }

// findPart returns the place of a fragment in parts.
func (p *incoming) findPart(index uint8) (int, bool) {
	if n := len(p.parts); n == 0 || p.parts[n-1].index < index { // they mostly arrive in order
		return n, false
	}
	return slices.BinarySearchFunc(p.parts, index, func(one part, index uint8) int { return int(one.index) - int(index) })
}

// reassemble writes the whole message to the start of dst, which is long enough.
func (p *incoming) reassemble(dst []byte) []byte {
	size := 0
	for _, one := range p.parts {
		size += copy(dst[int(one.index)*FragmentSize:], one.body)
	}
	return dst[:size]
}

// partCost is the cost that one part adds to a message; see cost.
func partCost(final uint8, n int) int {
	if final == 0 {
		return classSize(n)
	}
	return fragmentOverhead + classSize(n)
}
