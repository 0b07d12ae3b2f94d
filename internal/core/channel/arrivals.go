package channel

import (
	"slices"
	"time"
)

// arrivals is the receiving side of one channel.
type arrivals struct {
	// next is the id that an ordered channel waits for, the lowest that an unordered reliable one
	// lacks, and the one after the last delivered of a sequenced one. Ids before it are done.
	next uint16
	// got marks the ids from next on that an unordered reliable channel has delivered, by id modulo
	// Window.
	got [Window / 64]uint64
	// held are the waiting messages, by distance from next.
	held []*incoming
}

// memory is the memory of the receiving side of a mux, in bytes of cost.
type memory struct {
	reliable   int
	unreliable int
	byAge      ages
	free       []*incoming
}

// ages lists the incomplete unreliable messages of all channels by the time at which they began, so
// that making room and expiry look only at the ones to drop.
type ages struct{ oldest, newest *age }

func (a *ages) push(one *age) {
	one.older, a.newest = a.newest, one
	if one.older != nil {
		one.older.newer = one
	} else {
		a.oldest = one
	}
}

func (a *ages) remove(one *age) {
	if one.older != nil {
		one.older.newer = one.newer
	} else {
		a.oldest = one.newer
	}
	if one.newer != nil {
		one.newer.older = one.older
	} else {
		a.newest = one.older
	}
	*one = age{}
}

// ahead is the distance of an id from next; negative if the id is done.
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
func (m *Mux) hold(place int, p *incoming, at time.Duration) {
	l := p.lane
	l.arrivals.held = slices.Insert(l.arrivals.held, place, p)
	*m.memoryOf(l) += int(p.cost)
	if l.cfg.Mode.Reliable() {
		return
	}
	if p.age == nil {
		p.age = new(age)
	}
	p.age.of, p.age.since = p, at
	m.memory.byAge.push(p.age)
}

// takeHeld removes the message at a place, for delivery or for drop.
func (m *Mux) takeHeld(l *lane, place int) *incoming {
	p := l.arrivals.held[place]
	l.arrivals.held = slices.Delete(l.arrivals.held, place, place+1)
	m.letGo(p)
	return p
}

// letGo removes a message from the accounts, because its place in held is given up.
func (m *Mux) letGo(p *incoming) {
	*m.memoryOf(p.lane) -= int(p.cost)
	if !p.lane.cfg.Mode.Reliable() {
		m.memory.byAge.remove(p.age)
	}
}

func (m *Mux) memoryOf(l *lane) *int {
	if l.cfg.Mode.Reliable() {
		return &m.memory.reliable
	}
	return &m.memory.unreliable
}

// discard drops the message with an id, if it is held.
func (m *Mux) discard(l *lane, id uint16) {
	if place, ok := l.arrivals.find(id); ok {
		m.drop(m.takeHeld(l, place))
	}
}

// fits reports whether more bytes may be held for a channel. For an unreliable channel the oldest
// incomplete messages are dropped to make room.
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
	m.dropOldest()
	m.stats.Evicted++
}

// dropOldest drops the first message of byAge.
func (m *Mux) dropOldest() {
	p := m.memory.byAge.oldest.of
	m.discard(p.lane, p.id)
}

// Expire drops unreliable messages that are still incomplete ReassemblyTimeout after their first
// fragment arrived. HandleFrames calls it. Call it once per tick too, for peers that stopped
// sending.
func (m *Mux) Expire(now time.Time) {
	if m.memory.unreliable == 0 {
		return
	}
	before := m.since(now) - ReassemblyTimeout
	for a := m.memory.byAge.oldest; a != nil && a.since <= before; a = m.memory.byAge.oldest {
		m.dropOldest()
		m.stats.Expired++
	}
}
