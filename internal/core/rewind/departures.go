package rewind

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
	"github.com/entangle-ecs/entangle/internal/set"
)

// MaxDepartures is the most entities that are remembered as gone for one client. With more, the oldest
// are forgotten: nobody hits them any more.
const MaxDepartures = 4096

// departure is an entity that a client had, until it was despawned, hidden, or moved to another group.
type departure struct {
	slot         Slot
	entity       uint64 // as the caller names it
	hidden       set.Mask
	every        int
	since, until entangle.Tick
	arrived      arrival
	ended        arrival // of its end
	moved        bool    // it is in another group since
	group        Group
	earlier      uint32 // number of the departure before that refers to the same record; see Record.parted
	kept         bool   // record is a copy, because the group has another one now
	record       Record
}

// Depart records that a client is about to lose an entity of a group, as of a tick: it was there since
// joined, or since the client got the group. moved says that it goes to another group of the client.
func (r *Received) Depart(g Group, t Target, every int, joined, tick entangle.Tick, hidden set.Mask, moved bool) {
	rec := r.record(g)
	if rec.mask == 0 {
		return
	}
	d := departure{slot: t.Slot, entity: t.Entity, hidden: hidden, every: every, since: rec.sentAsOf(joined), until: tick, arrived: rec.arrived, moved: moved, group: g, earlier: rec.parted}
	if r.departures.Len() == MaxDepartures {
		r.dropDeparture()
	}
	r.departures.Push(d)
	rec.parted = r.dropped + uint32(r.departures.Len())
}

// departure returns the one with a number, from 1 on; nil if it is forgotten, or there is none.
func (r *Received) departure(number uint32) *departure {
	if i := number - r.dropped - 1; i < uint32(r.departures.Len()) {
		return r.departures.At(int(i))
	}
	return nil
}

// eachEnd calls do for the departures from a group of which the structure of a tick has the end, and no earlier one that was
// delivered. It may be of a later tick than the end: a group is sent when there is room for it.
func (r *Received) eachEnd(rec *Record, tick entangle.Tick, do func(*departure)) {
	for d := r.departure(rec.parted); d != nil; d = r.departure(d.earlier) {
		if !tick.Before(d.until) && !d.ended.known {
			do(d)
		}
	}
}

// Wait records that a client has got the structure of a group as of a tick, or waits for other groups before it applies
// that. Deliver is called when it no longer does.
func (r *Received) Wait(g Group, tick entangle.Tick) {
	rec := r.record(g)
	rec.eachArrival(tick, func(a *arrival) { a.wait(r.with) })
	r.eachEnd(rec, tick, func(d *departure) { d.ended.wait(r.with) })
}

// isLate reports whether a screen still showed an entity after its end, because that had not arrived. It rests where it was
// then. (One that has moved to another group is there when that has arrived.) While a screen's time stands still, there are
// screens of before and after the arrival with the same time: they count as after it. No value is of before the oldest tick
// of a view, so that no client can claim for longer that it has not heard of the end.
func (r *Received) isLate(d *departure, now timesync.Shown, oldest entangle.Tick) bool {
	return !d.ended.waited && !d.moved && !r.isUnreported(d.ended) && r.at(d.ended, d.every) > now && !d.until.Before(oldest)
}

// keepDepartures copies the record of a group into the departures that refer to it. It looks at no others: many
// groups may end in one tick, and many begin in another one.
func (r *Received) keepDepartures(rec *Record) {
	for d := r.departure(rec.parted); d != nil; d = r.departure(d.earlier) {
		d.kept, d.record = true, *rec
	}
}

func (r *Received) dropDeparture() {
	r.departures.Drop(1)
	r.dropped++
}

// Forget forgets the departures before a tick.
func (r *Received) Forget(before entangle.Tick) {
	for r.departures.Len() > 0 && r.departures.At(0).until.Before(before) {
		r.dropDeparture()
	}
}
