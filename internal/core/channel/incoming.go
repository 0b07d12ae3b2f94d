package channel

import "time"

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
	parts []part // in order of arrival
	first [1]part
	cost  int
}

// keptIncoming bounds the incoming messages kept for later.
const keptIncoming = 64

func (p *incoming) whole() bool { return p.final == 0 }

func (p *incoming) complete() bool { return len(p.parts) == int(p.final)+1 }

func (p *incoming) has(index uint8) bool {
	for i := range p.parts {
		if p.parts[i].index == index {
			return true
		}
	}
	return false
}

// join puts the fragments together at the start of dst, which is long enough.
func (p *incoming) join(dst []byte) []byte {
	size := 0
	for _, one := range p.parts {
		size += copy(dst[int(one.index)*FragmentSize:], one.body)
	}
	return dst[:size]
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
