package sender

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
	pack "github.com/entangle-ecs/entangle/protocol/bits"
)

// appendRecords writes records as runs of the peer's own, as far as they fit, and reports whether
// none are left.
func (p *Peer) appendRecords(s *step, room int) bool {
	p.flights.reserve(s.to - s.from)
	if p.ample(s, room-p.w.LenBits()) {
		p.appendClasses(s)
	}
	for s.from < s.to {
		if s.sorted <= s.from {
			n, roomy := p.worth(s, room-p.w.LenBits())
			s.sorted = s.from + n
			p.sortOut(p.plan.records[s.from:s.sorted], roomy)
		}
		n, full := p.fitting(s, room-p.w.LenBits())
		if n >= minAlike {
			p.appendAlike(s, n)
		} else {
			full = !p.appendPlain(s, p.stretch(s), room)
		}
		if full {
			return false
		}
	}
	return true
}

// worth returns the approximate number of next records that fit into some bits, at least one, and
// whether all remaining records fit in any order. Only these are reordered, so that groups take
// turns where packets are short of room.
func (p *Peer) worth(s *step, room int) (n int, roomy bool) {
	records := p.plan.records[s.from:s.to]
	if n = len(records); s.bits+n*usualGap+min(maxClasses, n/minAlike)*anotherRun <= room {
		return n, true
	}
	n = 0
	usual, prefix := &records[0], 0
	if usual.kind != 0 {
		prefix = int(p.prefix(usual))
	}
	for ; n < len(records) && room > 0; n++ {
		if room -= repl.StepBits + p.recordBits(&records[n]); records[n].alike(usual) {
			room += prefix
		}
	}
	return max(n, 1), false
}

// usualGap is the usual number of bits for the handle of the next group, where that is not the one
// after the last.
const usualGap = 1 + 16

// stretch returns the number of next records with rising handles.
func (p *Peer) stretch(s *step) (n int) {
	records := p.plan.records[s.from:s.sorted]
	for n = 1; n < len(records) && records[n-1].at < records[n].at; n++ {
	}
	return n
}

// fitting returns the number of next records that are alike and fit into some bits, as a run, and
// whether lack of room ended it.
func (p *Peer) fitting(s *step, room int) (n int, full bool) {
	records := p.plan.records[s.from:min(s.sorted, s.from+repl.MaxAlike)]
	first := &records[0]
	if first.kind == 0 {
		return 0, false
	}
	prefix := int(p.prefix(first))
	room -= repl.MaxRunHead*8 + pack.UvarintBits(uint64(len(records)-1)) + prefix + 7 + int(first.width) - prefix
	for n = 1; n < len(records) && room >= 0; n++ {
		rec, last := &records[n], &records[n-1]
		if !rec.alike(first) || rec.at <= last.at {
			return n, false
		}
		room -= repl.GapBits(uint64(rec.at-last.at)) + int(rec.width) - prefix
	}
	if room < 0 {
		return n - 1, true
	}
	return n, false
}

// appendAlike writes the next n records, which are alike and fit.
func (p *Peer) appendAlike(s *step, n int) {
	records := p.plan.records[s.from : s.from+n]
	first, last := &records[0], &records[n-1]
	dense := int(last.at-first.at) == n-1
	p.run.BeginLike(&p.w, s.space.first+repl.Handle(first.at), first.start(), !dense)
	repl.AppendCount(&p.w, n)
	p.world.kinds.appendSet(&p.w, p.kind(first))
	for i := 1; i < n && !dense; i++ {
		p.run.AppendGap(&p.w, s.space.first+repl.Handle(records[i].at))
	}
	prefix := p.prefix(first)
	for i := range records {
		p.world.chunks.appendValues(&p.w, records[i].from, records[i].width, prefix)
	}
	p.w.Align()
	s.from += n
	p.wrote(s.space, records)
}

// appendPlain writes as many of the next n records, of rising handles, as fit, and reports whether
// all did.
func (p *Peer) appendPlain(s *step, n, room int) bool {
	records := p.plan.records[s.from : s.from+n]
	wrote := 0
	for ; wrote < n; wrote++ {
		rec := &records[wrote]
		h, from := s.space.first+repl.Handle(rec.at), rec.start()
		if p.w.LenBits()+p.stepBits(wrote > 0, h, from)+p.recordBits(rec)+repl.EndBits > room {
			break
		}
		if wrote > 0 {
			p.run.Append(&p.w, h, from)
		} else {
			p.run.Begin(&p.w, h, from)
		}
		p.appendRecord(rec)
	}
	if wrote > 0 {
		p.run.End(&p.w)
		s.from += wrote
		p.wrote(s.space, records[:wrote])
	}
	return wrote == n
}

// appendRecord writes the part of a record behind its group.
func (p *Peer) appendRecord(rec *planned) {
	if rec.width > 0 {
		p.world.chunks.append(&p.w, rec.from, rec.width)
	} else {
		p.appendBody(&p.world.bodies.list[rec.from])
	}
}

// wrote notes that records were written as a run.
func (p *Peer) wrote(sp *space, records []planned) {
	if p.metered {
		p.wroteMetered(sp, records)
	}
	p.flights.addRecords(sp, records)
	p.stats.Updates += uint64(len(records))
	sp.cursor = int(records[len(records)-1].at) + 1
}

// wroteMetered updates the waiting times of a peer with a byte cap.
func (p *Peer) wroteMetered(sp *space, records []planned) {
	for i := range records {
		sp.sent[records[i].at] = p.world.tick
		if p.plan.short.cut {
			p.credit(sp, int(records[i].at))
		}
	}
}

// stepBits bounds the bits before a record.
func (p *Peer) stepBits(begun bool, h repl.Handle, base repl.From) int {
	if !begun {
		return repl.MaxRunHead * 8
	}
	return p.run.Width(h, base)
}

// recordBits bounds a record.
func (p *Peer) recordBits(rec *planned) int {
	if rec.width > 0 {
		return int(rec.width)
	}
	return p.world.recordBits(&p.world.bodies.list[rec.from])
}
