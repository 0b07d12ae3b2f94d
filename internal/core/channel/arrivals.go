package channel

import (
	"slices"
	"time"
)

// arrivals is the receiving side of one channel.
type arrivals struct {
	// next is the id that an ordered channel waits for, the lowest that an
	// unordered reliable one lacks, and the one after the last delivered of a
	// sequenced one. Ids before it are settled.
	next uint16
	// got says which ids from next on an unordered reliable channel has delivered,
	// by id modulo Window.
	got [Window / 64]uint64
	// held is what waits, by distance from next.
	held []*incoming
}

// memory is what the receiving side of a mux holds, in bytes of cost.
type memory struct {
	reliable   int
	unreliable int
	free       []*incoming
}

// ahead is the distance of an id from next; negative when it is settled.
func (a *arrivals) ahead(id uint16) int { return int(int16(id - a.next)) }

// find returns the place of id in held.
func (a *arrivals) find(id uint16) (int, bool) {
	return slices.BinarySearchFunc(a.held, id, func(p *incoming, id uint16) int {
		return int(p.id-a.next) - int(id-a.next)
	})
}

func (a *arrivals) received(id uint16) bool { return a.got[id%Window/64]>>(id%64)&1 != 0 }

// mark notes that an unordered reliable message was delivered.
func (a *arrivals) mark(id uint16) {
	a.got[id%Window/64] |= 1 << (id % 64)
	for a.received(a.next) {
		a.got[a.next%Window/64] &^= 1 << (a.next % 64)
		a.next++
	}
}

// hold puts an empty message into its place.
func (m *Mux) hold(l *lane, place int, p *incoming) {
	l.arrivals.held = slices.Insert(l.arrivals.held, place, p)
	*m.memoryOf(l) += p.cost
}

// release takes the message at a place out, for delivery or for drop.
func (m *Mux) release(l *lane, place int) *incoming {
	p := l.arrivals.held[place]
	l.arrivals.held = slices.Delete(l.arrivals.held, place, place+1)
	*m.memoryOf(l) -= p.cost
	return p
}

func (m *Mux) memoryOf(l *lane) *int {
	if l.cfg.Mode.Reliable() {
		return &m.memory.reliable
	}
	return &m.memory.unreliable
}

// discard drops a message with id, if one is held.
func (m *Mux) discard(l *lane, id uint16) {
	if place, ok := l.arrivals.find(id); ok {
		m.drop(m.release(l, place))
	}
}

// fits reports whether more may be held for a channel. For an unreliable one the
// oldest incomplete messages make room.
func (m *Mux) fits(l *lane, more int) bool {
	if l.cfg.Mode.Reliable() {
		return m.memory.reliable+more <= ReliableWindow
	}
	for m.memory.unreliable+more > UnreliableWindow {
		m.evict()
	}
	return true
}

// evict drops the oldest incomplete unreliable message.
func (m *Mux) evict() {
	var of *lane
	var place int
	for _, l := range m.channels {
		if l.cfg.Mode.Reliable() {
			continue
		}
		for i, p := range l.arrivals.held {
			if of == nil || p.since < of.arrivals.held[place].since {
				of, place = l, i
			}
		}
	}
	m.drop(m.release(of, place))
	m.stats.Evicted++
}

// Expire drops incomplete unreliable messages whose first fragment came more than
// ReassemblyTimeout ago. HandleFrames calls it; call it once per tick too, for
// peers that fell silent.
func (m *Mux) Expire(now time.Time) {
	if m.memory.unreliable == 0 {
		return
	}
	before := m.since(now) - ReassemblyTimeout
	for _, l := range m.channels {
		if l.cfg.Mode.Reliable() {
			continue
		}
		for i := len(l.arrivals.held) - 1; i >= 0; i-- {
			if l.arrivals.held[i].since <= before {
				m.drop(m.release(l, i))
				m.stats.Expired++
			}
		}
	}
}
