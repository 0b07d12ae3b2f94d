package rewind

import (
	"math/bits"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
)

// sample is an update that a client has.
type sample struct {
	tick    entangle.Tick
	arrived timesync.Shown // what was on the screen then
	rested  bool           // the entity had been there since long before
}

// time returns the time at which the entity is there.
func (s *sample) time() timesync.Shown {
	if s.rested {
		return inTime >> 1
	}
	return timesync.ShownAt(s.tick, 0)
}

// leg is the movement of an entity from one sample to another. At end it is at the second one.
type leg struct {
	from, to   entangle.Tick
	start, end timesync.Shown
	base       bool // it begins at the values of the leg before, as of start, in place of those of from
	late       bool // what is not blended is that of the update of like, which was late
	like       entangle.Tick
	rests      bool // it is at to. If it continues there, it does so from the movement from start to end
}

// share returns how much of a leg is over.
func (l *leg) share(now timesync.Shown) float32 {
	if l.rests || now >= l.end {
		return 1
	}
	return max(float32(float64(now-l.start)/float64(l.end-l.start)), 0)
}

// maxLegs is the most movements in a row that begin on the way of the one before. Of more, the first is
// taken to begin at a sample.
const maxLegs = 4

// movement is how an entity is shown at a time: by the last of some legs.
type movement struct {
	legs [maxLegs]leg
	n    int
}

func (m *movement) last() *leg { return &m.legs[m.n-1] }

// set makes a leg the only one.
func (m *movement) set(l leg) { m.legs[0], m.n = l, 1 }

// push adds a leg that begins at the values of the one before.
func (m *movement) push(l leg) {
	if m.n == maxLegs {
		copy(m.legs[:], m.legs[1:])
		m.legs[0].base = false
		m.n--
	}
	m.legs[m.n] = l
	m.n++
}

// bounds are the ticks from which on an entity is in a group, and at which it leaves it.
type bounds struct {
	since, until entangle.Tick
	ends, moves  bool // until is known; the entity goes to another group then
}

func (b *bounds) holds(tick entangle.Tick) bool {
	return !tick.Before(b.since) && (!b.ends || tick.Before(b.until))
}

const (
	samplesBefore = 8 // the most samples up to a time that are considered
	samplesAfter  = 8 // the most samples after it
)

// gathered is what all samples of an entity depend on. Many have the same, and a client that claims to be late makes them
// costly to find.
type gathered struct {
	known  bool
	record Record
	bounds bounds
	every  int
	now    timesync.Shown
}

// mover finds movements. It is scratch memory.
type mover struct {
	samples [samplesBefore + samplesAfter + 1]sample // from the oldest
	count   int
	before  int // number of samples up to the time
	every   timesync.Shown
	second  timesync.Shown
	carries bool
	history *History
	slot    Slot
	of      gathered // what samples are of, if they are all

	movement
	known int // samples that have arrived so far
	at    int // the sample at which it rests, or to which it moves
	rests bool
	late  bool
}

// gather finds the samples of a record around a time that had arrived by then: at most some before it, and some after.
func (m *mover) gather(r *Received, rec *Record, b *bounds, every int, now timesync.Shown, most, mostAfter int) {
	behind := min(max(rec.newest.Sub(now.Tick()), 0), 64)
	before := rec.mask >> behind << behind // shifts of 64 yield 0
	after := rec.mask &^ before
	if !r.overtaken.Before(now.Tick()) {
		after = r.withoutIgnored(rec, after)
	}
	var older [samplesBefore]sample
	n, next, some := 0, b.since, after != 0 // next is the oldest sample after those that were looked at
	if some {
		next = rec.newest - entangle.Tick(bits.Len64(after)-1)
	}
	for ; before != 0 && n < most; before &= before - 1 {
		s := sample{tick: rec.newest - entangle.Tick(bits.TrailingZeros64(before))}
		if s.tick.Before(b.since) {
			break
		}
		if !b.holds(s.tick) {
			continue // its end, which is late
		}
		if some && r.wasIgnored(rec, s.tick, next) {
			continue
		}
		s.arrived = r.arrivedAt(rec, s.tick, every)
		// Of updates that came too late at one time only the newest has an effect. There may be many while the
		// time stands still.
		if passed := n > 0 && s.arrived == older[n-1].arrived && s.time() <= s.arrived; s.arrived < now && !passed {
			older[n] = s
			n++
		}
		next, some = s.tick, true
	}
	m.count = 0
	if n == 0 || n < most && older[n-1].tick != b.since {
		m.anchor(r, rec, b, every, next, some)
	}
	for n--; n >= 0; n-- {
		m.samples[m.count] = older[n]
		m.count++
	}
	m.before = m.count
	for after != 0 && m.count < m.before+mostAfter {
		k := bits.Len64(after) - 1
		after &^= 1 << k
		tick := rec.newest - entangle.Tick(k)
		if b.holds(tick) {
			m.add(r, rec, tick, every)
		}
	}
	if b.ends && b.moves {
		m.add(r, rec, b.until, every)
	}
}

// anchor adds the sample before the others, which the record does not have any more, or with which the entity
// came. next is the oldest sample after those that had arrived, if there is one.
func (m *mover) anchor(r *Received, rec *Record, b *bounds, every int, next entangle.Tick, some bool) {
	if some && b.since.Before(next-64) {
		tick := rec.prior
		if tick.Before(b.since) {
			tick = b.since
		}
		m.samples[0], m.count = sample{tick: tick, arrived: inTime, rested: true}, 1
	} else {
		m.add(r, rec, b.since, every)
	}
}

func (m *mover) add(r *Received, rec *Record, tick entangle.Tick, every int) {
	m.samples[m.count] = sample{tick: tick, arrived: r.arrivedAt(rec, tick, every)}
	m.count++
}

// usualSamples is the most samples up to the time that usual looks at.
const usualSamples = 3

// usual sets the movement of an entity that never waited for a sample, as nearly all do. It returns
// false for others.
func (m *mover) usual() bool {
	if m.before == m.count {
		return false
	}
	a, b := &m.samples[m.before-1], &m.samples[m.before]
	if b.arrived >= a.time() {
		return false
	}
	for i := m.before - 1; i > 0 && i > m.before-usualSamples; i-- {
		if m.samples[i].arrived >= m.samples[i-1].time() {
			return false
		}
	}
	if m.before == 1 && a.arrived >= a.time() {
		return false
	}
	m.set(leg{from: a.tick, to: b.tick, start: a.time(), end: b.time()})
	return true
}

// move sets the movement at a time. It reports whether it is the usual one, which needs few samples.
func (m *mover) move(r *Received, rec *Record, b *bounds, every int, now timesync.Shown) (usual bool) {
	if m.of.known && m.of.now == now && m.of.every == every && m.of.bounds == *b && m.of.record == *rec {
		m.find(now)
		return false
	}
	m.of.known = false
	if m.gather(r, rec, b, every, now, usualSamples+1, 1); m.usual() {
		return true
	}
	m.gather(r, rec, b, every, now, samplesBefore, samplesAfter)
	m.of = gathered{true, *rec, *b, every, now}
	m.find(now)
	return false
}

// find sets the movement at a time, as the client's snapshot.Store has found it: sample by sample, as
// they arrived.
func (m *mover) find(now timesync.Shown) {
	first := &m.samples[0]
	m.set(leg{from: first.tick, to: first.tick, start: first.time(), end: first.time()})
	m.known, m.at, m.rests, m.late = 1, 0, false, false
	last := inTime // what was on the screen when the newest of the late ones arrived
	for i := 1; i < m.count && m.samples[i].arrived < now; i++ {
		last = max(last, m.samples[i].arrived)
		m.advance(m.samples[i].arrived)
		if m.known++; m.rests || m.late {
			m.restart(last)
		}
	}
	m.advance(now)
}

// advance moves to a time.
func (m *mover) advance(now timesync.Shown) {
	for !m.rests && now >= m.last().end {
		was := *m.last()
		if m.at == m.known-1 {
			m.rests = true
			was.rests, was.late = true, false
			if m.n > 1 || was.base || was.from == was.to {
				was.from, was.base = was.to, false // it does not continue in a direction
			}
			m.set(was)
			return
		}
		m.at++
		m.set(leg{from: was.to, to: m.samples[m.at].tick, start: was.end, end: m.samples[m.at].time()})
	}
}

// restart begins a movement at what is shown: to the first sample that is far enough ahead, or else to
// the newest one, which is then late.
func (m *mover) restart(now timesync.Shown) {
	target, from := m.at, m.last().from
	if m.rests {
		target, from = m.at+1, m.last().to
	}
	soonest := now + min(m.every, m.second)
	jumps := func() bool { return m.history.jumped(from, m.samples[target].tick, m.slot) }
	for target < m.known-1 && !jumps() && m.samples[target].time() < soonest {
		target++
	}
	next := leg{from: from, to: m.samples[target].tick, start: now, end: m.samples[target].time(), base: true}
	if m.late = next.end < soonest && !jumps(); m.late {
		next.end, next.late, next.like = soonest, true, next.to
	}
	switch l := m.last(); {
	case m.rests && !m.carries:
		next.base = false
		m.set(next)
	case !m.rests && l.start == now: // it has not moved yet
		if next.base = l.base; !m.late {
			next.late, next.like = l.late, l.like
		}
		*l = next
	default:
		m.push(next)
	}
	m.at, m.rests = target, false
}

// held returns the tick of the newest sample up to a time that had arrived.
func (m *mover) held(now timesync.Shown) entangle.Tick {
	for i := m.before - 1; i > 0; i-- {
		if m.samples[i].arrived < now {
			return m.samples[i].tick
		}
	}
	return m.samples[0].tick
}
