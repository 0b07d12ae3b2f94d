package sender

import (
	"math/bits"
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// plan is what a peer is to be sent of values in one tick, in order: whole runs to
// be copied, and records of its own. All that is shared is encoded when it is made,
// so that several peers can then write their packets at a time.
type plan struct {
	tick    entangle.Tick
	made    bool
	steps   []step
	records []planned
	next    int // step

	first  int  // steps of predicted groups
	part   int  // of this tick's mark, the next one
	marked bool // the last part is written

	short short // of room
}

// step is a run (run and made), or the records from and to of the plan.
type step struct {
	run  *run
	made copied // of a run
	base repl.From

	space    *space
	from, to int // in records
	bits     int // that they take at most, without the heads of runs
	sorted   int // up to here those that are alike come first, of each packet's worth
}

// planned is one record of the peer's own: a chunk, or a body where width is 0. All that
// writing it takes stands here: the columns of so many peers are far from the processor
// by then.
type planned struct {
	at    int32  // handle, less the first of its space
	from  uint32 // the chunk's place, or the body's number
	base  entangle.Tick
	width uint16
	apart uint8
	kind  uint8 // of a chunk, as the plan numbers them; 0: it is like nothing else
}

// start is what a record starts from.
func (rec *planned) start() repl.From { return repl.From{Base: rec.base, Apart: rec.apart} }

// Prepare works out what the peer is to be sent of values in this tick. It must not
// run for two peers at once; AppendUpdates may, once all are prepared, and prepares
// a peer that is not.
func (p *Peer) Prepare() {
	w := p.world
	if w.held || p.plan.made && p.plan.tick == w.tick {
		return
	}
	p.unplan()
	p.plan = plan{tick: w.tick, made: true, steps: p.plan.steps[:0], records: p.plan.records[:0]}
	p.kinds.reset()
	w.partition()
	p.planPredicted()
	if p.privateFirst {
		p.planPrivate()
	}
	p.planOthers()
	p.planRuns()
	if !p.privateFirst {
		p.planPrivate()
	}
}

// unplan makes records due again that were planned for an earlier tick and found no packet. Where
// packets are short of room, public and private groups take turns.
func (p *Peer) unplan() {
	if !p.plan.made {
		return
	}
	p.plan.made = false
	left := p.plan.steps[p.plan.next:]
	if len(left) > 0 {
		p.privateFirst = left[len(left)-1].space == &p.private
	}
	p.meterLate(left)
	for _, s := range left {
		for ; s.from < s.to; s.from++ {
			s.space.sendAgain(int(p.plan.records[s.from].at))
		}
	}
	if p.metered {
		p.leave(left)
	}
}

// planOthers plans the due public groups that did not change in this tick, or not in values alone:
// above all those of lost packets.
func (p *Peer) planOthers() {
	sp, quiet := &p.public, p.world.runs.quiet
	from := len(p.plan.records)
	for i, due := range sp.due {
		if due &= ^quiet[i] &^ sp.predicted[i]; due != 0 {
			p.gather(sp, i, due)
		}
	}
	p.planned(sp, from)
}

// gather collects the due groups of one word of a set, with their places, for planned to plan. The
// data of a group is spread over memory, and loads faster when it is requested in a row.
func (p *Peer) gather(sp *space, i int, word uint64) {
	sp.due[i] &^= word
	n, base, ids := len(p.plan.records), sp.base, p.groupsOf(sp)
	p.plan.records = slices.Grow(p.plan.records, bits.OnesCount64(word))[:n+bits.OnesCount64(word)]
	for ; word != 0; word &= word - 1 {
		k := i<<6 + bits.TrailingZeros64(word)
		rec := &p.plan.records[n]
		rec.at, rec.base, rec.from = int32(k), base[k], uint32(ids[k])
		n++
	}
}

// resolve makes records of the groups that were gathered from one on, but for those of
// which there is nothing to send, and returns about how many bits they take.
func (p *Peer) resolve(sp *space, from int) (bits int) {
	usual, bits := p.resolveUsual(sp, from)
	gathered := p.plan.records[usual:]
	p.plan.records = p.plan.records[:usual] // of each there is one record at most
	for i := range gathered {
		k, id := int(gathered[i].at), groupID(gathered[i].from)
		if !p.planChunk(sp, k, id) {
			p.planRecord(sp, k, id)
		}
	}
	return bits + p.bitsFrom(usual)
}

// resolveUsual makes records of the groups that were gathered from one on, up to the first
// that is not as most are: steady, and served by a chunk that there is. It returns which that
// is, and how many bits those before it take.
func (p *Peer) resolveUsual(sp *space, from int) (first, bits int) {
	if p.metered || sp.apart != nil || p.world.unshared {
		return from, 0
	}
	chunks, now := p.world.chunks.of, p.world.tick
	for first = from; first < len(p.plan.records); first++ {
		rec := &p.plan.records[first]
		c := &chunks[rec.from]
		if c.tick != now || c.width > maxRecordBits || !c.serves(repl.From{Base: rec.base}) || !sp.steady.Has(int(rec.at)) {
			break
		}
		if !c.asked { // usually set already; memory that is not written stays in the caches
			c.asked = true
		}
		rec.from, rec.width, rec.apart, rec.kind = c.at, c.width, 0, p.kinds.of(c.kind)
		sp.sent[rec.at] = now
		bits += repl.StepBits + int(c.width)
	}
	return first, bits
}

// planChunk plans a group that is steady, if a chunk serves it.
func (p *Peer) planChunk(sp *space, i int, id groupID) bool {
	if !sp.steady.Has(i) {
		return false
	}
	from := sp.from(i)
	c := p.world.chunk(id, from)
	if c == nil || c.width > maxRecordBits {
		return false
	}
	rec := p.appendPlanned(sp, i, from)
	rec.from, rec.width, rec.kind = c.at, c.width, p.kinds.of(c.kind)
	return true
}

// appendPlanned plans a record; the caller fills in its contents. The record counts as sent from now on,
// unless the plan may be cut down.
func (p *Peer) appendPlanned(sp *space, i int, from repl.From) *planned {
	p.plan.records = append(p.plan.records, planned{})
	if !p.metered {
		sp.sent[i] = p.world.tick
	}
	// Field by field: to put a whole together first and copy it takes several times as long.
	rec := &p.plan.records[len(p.plan.records)-1]
	rec.at, rec.base, rec.apart = int32(i), from.Base, from.Apart
	return rec
}

// planRuns plans the runs, from where the last tick left off.
func (p *Peer) planRuns() {
	runs := p.world.runs.now
	if len(runs) == 0 {
		return
	}
	first := 0
	for first < len(runs) && int(runs[first].groups[len(runs[first].groups)-1]) < p.public.cursor {
		first++
	}
	begun := runs[first%len(runs)]
	from, to := begun.groups[0], begun.groups[len(begun.groups)-1]
	inside := first < len(runs) && int(from) < p.public.cursor
	if inside { // it was begun and not ended: its rest comes first, its beginning last
		p.planPart(repl.Handle(p.public.cursor), to)
		first++
	}
	for i := range runs {
		if r := runs[(first+i)%len(runs)]; !inside || r != begun {
			p.planRun(r)
		}
	}
	if inside {
		p.planPart(from, repl.Handle(p.public.cursor-1))
	}
}

func (p *Peer) planRun(r *run) {
	if from, newest, ok := p.takes(r); ok && newest.Before(r.news) {
		if made := p.world.copyOf(r, from); made != nil && made.bases.contains(newest) {
			p.plan.steps = append(p.plan.steps, step{run: r, made: *made, base: from})
			r.taken = true
			return
		}
	}
	p.planPart(r.groups[0], r.groups[len(r.groups)-1])
}

// planPart plans the due groups of runs from one handle to another, record by record.
func (p *Peer) planPart(first, last repl.Handle) {
	from, sp := len(p.plan.records), &p.public
	for i := first >> 6; i <= last>>6; i++ {
		if word := p.world.runs.quiet[i] & sp.due[i] &^ sp.predicted[i] & within(i, first, last); word != 0 {
			p.gather(sp, int(i), word)
		}
	}
	p.planned(sp, from)
}

// planPrivate plans the groups that have a handle of the peer's own, from where the
// last tick left off.
func (p *Peer) planPrivate() {
	sp := &p.private
	for _, part := range [2][2]int{{sp.cursor, len(sp.phase)}, {0, sp.cursor}} {
		from := len(p.plan.records)
		for i := part[0] >> 6; i<<6 < part[1]; i++ {
			if due := sp.due[i] &^ sp.predicted[i] & between(i, part[0], part[1]); due != 0 {
				p.gather(sp, i, due)
			}
		}
		p.planned(sp, from)
	}
}

// between returns the bits of word i of a set that lie from first on and before end.
func between(i, first, end int) uint64 {
	return within(repl.Handle(i), repl.Handle(first), repl.Handle(end-1))
}

// planned makes a step of the records that gather has added to the plan, from an index on. What it
// needs to write them is encoded here (resolve).
func (p *Peer) planned(sp *space, from int) { p.addStep(sp, from, p.resolve(sp, from)) }

// addStep makes the records from one on a step, if there are any. They take so many bits.
func (p *Peer) addStep(sp *space, from, bits int) {
	if to := len(p.plan.records); from < to {
		p.plan.steps = append(p.plan.steps, step{space: sp, from: from, to: to, bits: bits})
	}
}

// bitsFrom is plainBits of the records from one on.
func (p *Peer) bitsFrom(from int) (bits int) {
	for i := from; i < len(p.plan.records); i++ {
		bits += p.plainBits(i)
	}
	return bits
}

// plainBits is what a record takes behind one of the group before it, of the same base.
func (p *Peer) plainBits(i int) int { return repl.StepBits + p.recordBits(&p.plan.records[i]) }

// planRecord plans an update of a group that is due, and that no chunk serves. What
// turns out to be acknowledged, or waits for its structure, is struck off.
func (p *Peer) planRecord(sp *space, i int, id groupID) {
	w := p.world
	switch {
	case id == noGroup:
		return
	case !p.wants(sp, i, id):
		if sp.phase[i] == known && !sp.base[i].Before(w.groups[id].changed) {
			p.nothingNew(sp, i)
		}
		return
	}
	if v := sp.viewOf(i); v != 0 && !w.shows(id, v, sp.sent[i]) {
		if sp.sent[i] == sp.base[i] {
			p.nothingNew(sp, i)
		}
		sp.forgo(i)
		return
	}
	from := sp.from(i)
	b := w.body(id, w.updateKey(from, sp.viewOf(i)))
	if !b.some { // what changed is paused by now, or hidden
		p.nothingNew(sp, i)
		return
	}
	if w.recordBits(b) > maxRecordBits {
		sp.promote(i)
		return
	}
	for _, s := range w.bodies.slotsOf(b) {
		p.reserve(w.slots.home[s])
		p.refer(w.slots.home[s])
	}
	rec := p.appendPlanned(sp, i, from)
	if rec.from = uint32(b.self); !sp.steady.Has(i) || b.nrefs > 0 {
		return
	}
	if !b.kept {
		w.keepBody(id, b)
	}
	rec.from, rec.width, rec.kind = b.at, uint16(1+b.width), p.kinds.of(b.kind)
}

// maxRecordBits is the most that a record can take in a packet of its own.
const maxRecordBits = (repl.MaxUpdateBytes-repl.MaxRunHead)*8 - repl.EndBits

// wants reports whether values alone can be sent of a group: the peer has its
// present structure, and lacks a change. While structure waits the action will
// carry the values too, so that the peer never holds one tick's values in another
// tick's structure.
func (p *Peer) wants(sp *space, i int, id groupID) bool {
	return sp.phase[i] == known && !sp.shapeDue.Has(i) && !sp.bulky.Has(i) && !sp.retained.Has(i) && sp.base[i].Before(p.world.groups[id].changed)
}

// promote makes a group travel as an action, because its update is too large for any packet: in
// fragments that are resent until all have arrived. No newer update of the group begins meanwhile.
func (sp *space) promote(i int) {
	sp.bulky.Set(i)
	sp.shapeDue.Set(i)
	sp.steady.Clear(i)
}
