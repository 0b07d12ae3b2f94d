package rewind

import (
	"math/bits"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
)

// knownTimes caches when the packets of ticks arrived at the earliest, for one interval: most entities of a view have
// the same one.
type knownTimes struct {
	every int
	of    [64]knownTime
}

type knownTime struct {
	tick  entangle.Tick
	known bool
	at    timesync.Shown
}

func (k *knownTimes) reset(every int) {
	k.every = every
	for i := range k.of {
		k.of[i].known = false
	}
}

func (k *knownTimes) find(r *Received, tick entangle.Tick) timesync.Shown {
	t := &k.of[uint32(tick)%uint32(len(k.of))]
	if !t.known || t.tick != tick {
		*t = knownTime{tick: tick, known: true}
		t.at, _ = r.packetsAt(tick, k.every)
	}
	return t.at
}

// hasOldStructure reports whether the newest changes of structure of a group arrived before all known screens.
func (r *Received) hasOldStructure(rec *Record) bool {
	return r.isLongAgo(rec.changes[0].arrived) && r.isLongAgo(rec.changes[1].arrived)
}

func (r *Received) isLongAgo(screen uint32) bool {
	return screen < r.count && r.count-screen > screenRows
}

// quick is gather and find for an entity that has moved from sample to sample for long enough, as nearly all do. It
// returns false, and finds nothing, for others. There are two samples before the one that it moves from, and each
// of the four arrived before the entity was at the one before it.
func (m *mover) quick(r *Received, rec *Record, b *bounds, every int, now timesync.Shown) (first entangle.Tick, ok bool) {
	behind := rec.newest.Sub(now.Tick())
	if behind <= 0 || behind >= 64 || !r.hasOldStructure(rec) {
		return 0, false
	}
	before := rec.mask >> behind << behind
	after := rec.mask &^ before
	second := before & (before - 1)
	third := second & (second - 1)
	if after == 0 || third == 0 {
		return 0, false
	}
	if m.times.every != every {
		m.times.reset(every)
	}
	to, from := rec.newest-entangle.Tick(bits.Len64(after)-1), rec.newest-entangle.Tick(bits.TrailingZeros64(before))
	last := rec.newest - entangle.Tick(bits.TrailingZeros64(second))
	first = rec.newest - entangle.Tick(bits.TrailingZeros64(third))
	if !b.holds(first) || !b.holds(to) ||
		m.times.find(r, to) >= timesync.ShownAt(from, 0) ||
		m.times.find(r, from) >= timesync.ShownAt(last, 0) ||
		m.times.find(r, last) >= timesync.ShownAt(first, 0) {
		return 0, false
	}
	m.set(leg{from: from, to: to, start: timesync.ShownAt(from, 0), end: timesync.ShownAt(to, 0)})
	return first, true
}

// like is the usual movement that was found last. Most entities of a view have been updated in the same ticks,
// and move alike.
type like struct {
	known         bool
	newest, first entangle.Tick
	mask          uint64
	every         int
	now           timesync.Shown

	from, to       entangle.Tick
	rowFrom, rowTo uint32 // places of slot 0
	share, seconds float32
}

func (l *like) set(h *History, rec *Record, first entangle.Tick, every int, of *leg, now timesync.Shown) {
	*l = like{
		known: h.Oldest().Before(of.from), newest: rec.newest, first: first, mask: rec.mask, every: every, now: now,
		from: of.from, to: of.to, rowFrom: h.index(of.from, 0), rowTo: h.index(of.to, 0), share: of.share(now),
		seconds: float32(float64(of.end-of.start) / float64(timesync.Shown(h.tickRate)<<8)),
	}
}

// is reports whether an entity moves like that.
func (l *like) is(r *Received, rec *Record, b *bounds, every int, now timesync.Shown) bool {
	return l.known && rec.newest == l.newest && rec.mask == l.mask && now == l.now && every == l.every &&
		!b.ends && !l.first.Before(b.since) && r.hasOldStructure(rec)
}

// addLike adds a target that moves like the one before.
func (v *View) addLike(t *Target) {
	l := &v.like
	t.held = l.from
	v.Targets = append(v.Targets, *t)
	v.add(l.rowFrom+t.Slot, l.rowTo+t.Slot, l.share, l.seconds)
}
