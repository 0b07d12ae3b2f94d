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

// incoming is a message that cannot be delivered yet: fragments are missing, or
// an earlier message is. It holds what arrived and nothing for what did not.
type incoming struct {
	id    uint16
	final uint8 // index of the last fragment; 0: a whole message
	since time.Duration
	have  [(MaxFragments + 63) / 64]uint64
	parts []part // in order of arrival
	first [2]part
	cost  int
}

// keptIncoming bounds the incoming messages kept for later.
const keptIncoming = 64

func (p *incoming) whole() bool { return p.final == 0 }

func (p *incoming) complete() bool { return len(p.parts) == int(p.final)+1 }

func (p *incoming) has(index uint8) bool { return p.have[index/64]>>(index%64)&1 != 0 }

// join appends the fragments in their order to dst.
func (p *incoming) join(dst []byte) []byte {
	size := 0
	for i := range p.parts {
		size += len(p.parts[i].body)
	}
	dst = slices.Grow(dst, size)[:size]
	for _, one := range p.parts {
		copy(dst[int(one.index)*FragmentSize:], one.body)
	}
	return dst
}

// newIncoming returns an empty message.
func (m *Mux) newIncoming(id uint16, final uint8, at time.Duration) *incoming {
	var p *incoming
	if free := m.memory.free; len(free) > 0 {
		p = free[len(free)-1]
		m.memory.free = free[:len(free)-1]
	} else {
		p = new(incoming)
	}
	p.id, p.final, p.since = id, final, at
	p.parts = p.first[:0]
	p.cost = messageOverhead
	return p
}

// partCost is what one part adds to the cost of a message; see cost.
func partCost(final uint8, n int) int {
	if final == 0 {
		return classSize(n)
	}
	return fragmentOverhead + classSize(n)
}

// add copies one part in.
func (m *Mux) add(p *incoming, index uint8, body []byte) {
	p.have[index/64] |= 1 << (index % 64)
	p.parts = append(p.parts, part{index: index, body: m.pool.copyOf(body)})
	p.cost += partCost(p.final, len(body))
}

// drop frees a message.
func (m *Mux) drop(p *incoming) {
	for i := range p.parts {
		m.pool.put(p.parts[i].body)
	}
	*p = incoming{}
	if len(m.memory.free) < keptIncoming {
		m.memory.free = append(m.memory.free, p)
	}
}
