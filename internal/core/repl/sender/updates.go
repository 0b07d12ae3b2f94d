package sender

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	pack "github.com/entangle-ecs/entangle/protocol/bits"
)

// minRoom is the space, in bytes, below which an updates frame is not begun: the
// smallest record with its head.
const minRoom = 16

// AppendUpdates writes an updates frame for the packet pkt: as much of this tick's plan as fits
// into room bytes. It returns dst unchanged when there is nothing to send. Groups take turns: the
// next tick continues where this one ended.
func (p *Peer) AppendUpdates(dst []byte, room int, pkt uint16) []byte {
	if room < minRoom || p.world.held {
		return dst
	}
	p.Prepare()
	p.shorten()
	if p.plan.next == len(p.plan.steps) {
		return dst
	}
	if room = p.limited(room); room < minRoom {
		return dst
	}
	p.w.Reset(dst)
	p.flights.beginPacket(pkt, p.world.tick)
	p.run = repl.Run{Tick: p.world.tick}
	left, part, marked := room*8, p.plan.part, p.plan.marked
	if len(p.predicted) > 0 {
		left = p.appendPredicted(left)
	}
	for p.plan.next < len(p.plan.steps) && p.appendStep(left) {
		p.plan.next++
	}
	if p.flights.fresh() {
		p.flights.cancel()
		p.plan.part, p.plan.marked = part, marked
		return dst
	}
	p.spend(p.w.LenBits())
	return p.w.Finish()
}

// appendPredicted writes the due predicted groups that fit, followed by a mark. It returns the room
// for the other groups: none while predicted groups are left.
func (p *Peer) appendPredicted(room int) int {
	if p.plan.next >= p.plan.first {
		p.appendMark(true, room)
		return room
	}
	for p.plan.next < p.plan.first && p.appendStep(room-markBits) {
		p.plan.next++
	}
	done := p.plan.next == p.plan.first
	if !p.appendMark(done, room) && !p.flights.fresh() {
		p.appendMark(false, room) // the last comes in another packet, and this one counts
	}
	if !done {
		return 0
	}
	return room
}

// appendStep writes a step and reports whether it is complete.
func (p *Peer) appendStep(room int) bool {
	s := &p.plan.steps[p.plan.next]
	if s.run == nil {
		return p.appendRecords(s, room)
	}
	if p.w.LenBits()+runHeadBits(&p.run, s)+s.made.bytes*8 <= room {
		p.appendRun(s)
		return true
	}
	if !p.flights.fresh() {
		return false
	}
	return p.appendApart(s, room)
}

// runHeadBits returns the size of a run's head, rounded up to a whole byte.
func runHeadBits(run *repl.Run, s *step) int {
	bits := 5 + pack.UvarintBits(uint64(s.run.groups[0])) + pack.UvarintBits(uint64(run.Tick-s.base.Base))
	if s.base.Apart > 0 {
		bits += repl.ApartBits
	}
	return (bits + 7) &^ 7
}

// appendRun copies a whole run; with Unrun it writes the run record by record.
func (p *Peer) appendRun(s *step) {
	w, r := p.world, s.run
	if s.made.alike {
		p.run.BeginLike(&p.w, r.groups[0], s.base, !r.dense)
	} else {
		p.run.Begin(&p.w, r.groups[0], s.base)
	}
	if w.unrun {
		w.rewrite(p, s)
	} else {
		p.w.Raw(w.runs.arena[s.made.off : s.made.off+s.made.bytes])
	}
	p.flights.addRun(r, s.base.Base)
	p.stats.Updates += uint64(len(r.groups))
	p.public.sendRun(r)
	p.public.cursor = int(r.groups[len(r.groups)-1]) + 1
}

// sendRun notes that all groups of a run were sent. The tick is not stored for each group: the
// flight log has it, and it is only needed when a packet is lost.
func (sp *space) sendRun(r *run) {
	first, last := r.groups[0], r.groups[len(r.groups)-1]
	if !r.dense {
		for _, h := range r.groups {
			sp.due.Clear(int(h))
		}
		return
	}
	for i := first >> 6; i <= last>>6; i++ {
		sp.due[i] &^= within(i, first, last)
	}
}

// rewrite writes a run record by record: the plain implementation of copying it.
func (w *World) rewrite(p *Peer, s *step) {
	if s.made.alike {
		made, _ := w.write(s.run, s.base)
		p.w.Raw(w.runs.arena[made.off : made.off+made.bytes])
		return
	}
	for i, h := range s.run.groups {
		if i > 0 {
			p.run.Append(&p.w, h, s.base)
		}
		if c := w.chunk(w.public[h], s.base); c != nil {
			w.chunks.append(&p.w, c.at, c.width)
			continue
		}
		p.appendBody(w.body(w.public[h], w.updateKey(s.base, 0)))
	}
	p.run.End(&p.w)
}

// appendApart writes the part of a run that fits, where the other contents of a packet leave no
// room for all of it: the run becomes records of the peer's own, including the rest.
func (p *Peer) appendApart(s *step, room int) bool {
	r := s.run
	*s = p.apart(s)
	for _, h := range r.groups {
		p.public.sent[h] = p.world.tick
	}
	p.public.sendRun(r)
	return p.appendRecords(s, room)
}

// apart returns a run as records of the peer's own.
func (p *Peer) apart(s *step) step {
	flat := p.flat(s)
	flat.bits = p.bitsFrom(flat.from)
	return flat
}

// flat is apart for a caller that does not need the sizes of the records.
func (p *Peer) flat(s *step) step {
	w, first, groups := p.world, len(p.plan.records), s.run.groups
	p.plan.records = slices.Grow(p.plan.records, len(groups))[:first+len(groups)]
	records := p.plan.records[first:]
	for i, h := range groups {
		id, from, rec := w.public[h], p.public.from(int(h)), &records[i]
		rec.at, rec.base, rec.apart = int32(h), from.Base, from.Apart
		if c := &w.chunks.of[id]; c.tick == w.tick && c.serves(from) {
			rec.from, rec.width, rec.kind = c.at, c.width, p.kinds.of(c.kind)
			continue
		}
		key := w.updateKey(from, 0)
		rec.from, rec.width, rec.kind = uint32(w.bodies.find(id, &key).self), 0, 0
	}
	return step{space: &p.public, from: first, to: len(p.plan.records)}
}

// appendBody writes the references of a body and the body.
func (p *Peer) appendBody(b *body) {
	p.appendRefs(p.world.bodies.slotsOf(b))
	p.w.Copy(p.world.bodies.bytes(b), b.width)
}
