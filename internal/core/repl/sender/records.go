package sender

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
	pack "github.com/entangle-ecs/entangle/protocol/bits"
)

// minAlike is from how many records on it pays to say once what they are.
const minAlike = 4

// usualAside is for how many records of a packet that are not like most there is room from
// the start.
const usualAside = 128

// alike reports whether two records can stand in one run of groups that are alike.
func (rec *planned) alike(o *planned) bool {
	return rec.kind == o.kind && rec.kind != 0 && rec.base == o.base && rec.apart == o.apart
}

// sortOut puts those of some records first that are alike as most are, and behind them
// the others, each in their order.
func (p *Peer) sortOut(records []planned) {
	if len(records) < minAlike {
		return
	}
	usual, n := records[len(records)/2], 0
	for i := range records {
		if records[i].alike(&usual) {
			n++
		}
	}
	if n == len(records) || n < minAlike {
		return
	}
	aside, at := p.aside[:0], 0
	for i := range records {
		if !records[i].alike(&usual) {
			aside = append(aside, records[i])
			continue
		}
		records[at] = records[i]
		at++
	}
	copy(records[at:], aside)
	p.aside = aside
}

// appendRecords writes records as runs of the peer's own, as far as there is room, and
// reports whether none are left.
func (p *Peer) appendRecords(s *step, room int) bool {
	p.flights.reserve(s.to - s.from)
	for s.from < s.to {
		if s.sorted <= s.from {
			s.sorted = s.from + p.worth(s, room-p.w.LenBits())
			p.sortOut(p.plan.records[s.from:s.sorted])
		}
		wrote := 0
		n := p.stretchAlike(s)
		if n >= minAlike {
			wrote = p.appendAlike(s, n, room)
		} else {
			n = p.stretch(s)
		}
		if wrote == 0 {
			wrote = p.appendPlain(s, n, room)
		}
		if wrote < n {
			return false
		}
	}
	return true
}

// worth returns about how many of the next records fit into some bits, at least one. Only
// these are put into another order, so that groups take turns where packets are short.
func (p *Peer) worth(s *step, room int) (n int) {
	records := p.plan.records[s.from:s.to]
	usual, prefix := &records[0], 0
	if usual.kind != 0 {
		prefix = int(p.world.kinds.prefix(usual.kind))
	}
	for ; n < len(records) && room > 0; n++ {
		if room -= repl.StepBits + p.recordBits(&records[n]); records[n].alike(usual) {
			room += prefix
		}
	}
	return max(n, 1)
}

// stretchAlike returns how many of the next records are alike.
func (p *Peer) stretchAlike(s *step) (n int) {
	records := p.plan.records[s.from:min(s.sorted, s.from+repl.MaxAlike)]
	for n = 1; n < len(records) && records[n].alike(&records[0]) && records[n-1].at < records[n].at; n++ {
	}
	return n
}

// stretch returns how many of the next records have rising handles.
func (p *Peer) stretch(s *step) (n int) {
	records := p.plan.records[s.from:s.sorted]
	for n = 1; n < len(records) && records[n-1].at < records[n].at; n++ {
	}
	return n
}

// appendAlike writes what fits of the next n records, which are alike, and returns how
// many. It leaves few to be written as others are.
func (p *Peer) appendAlike(s *step, n, room int) int {
	records, kinds := p.plan.records[s.from:s.from+n], &p.world.kinds
	prefix := kinds.prefix(records[0].kind)
	n = fitting(records, prefix, room-p.w.LenBits())
	if records = records[:n]; n < minAlike {
		return 0
	}
	dense := int(records[n-1].at-records[0].at) == n-1
	p.run.BeginLike(&p.w, s.space.first+repl.Handle(records[0].at), records[0].start(), !dense)
	repl.AppendCount(&p.w, n)
	kinds.appendSet(&p.w, records[0].kind)
	for i := 1; i < n && !dense; i++ {
		p.run.AppendGap(&p.w, s.space.first+repl.Handle(records[i].at))
	}
	for i := range records {
		rec := &records[i]
		p.world.chunks.appendValues(&p.w, rec.from, rec.width, prefix)
		p.wrote(s.space, rec)
	}
	p.w.Align()
	s.from += n
	p.endRecords(s.space, &records[n-1], n)
	return n
}

// fitting returns how many records that are alike fit into some bits, as a run.
func fitting(records []planned, prefix uint8, room int) (n int) {
	room -= repl.MaxRunHead*8 + pack.UvarintBits(uint64(len(records)-1)) + int(prefix) + 7
	for ; n < len(records); n++ {
		if n > 0 {
			room -= repl.GapBits(uint64(records[n].at - records[n-1].at))
		}
		if room -= int(records[n].width) - int(prefix); room < 0 {
			return n
		}
	}
	return n
}

// appendPlain writes what fits of the next n records, of rising handles, and returns how
// many.
func (p *Peer) appendPlain(s *step, n, room int) int {
	sp, all, first := s.space, &p.world.chunks, s.from
	for ; s.from < first+n; s.from++ {
		rec := &p.plan.records[s.from]
		h, from := sp.first+repl.Handle(rec.at), rec.start()
		if p.w.LenBits()+p.stepBits(s.from > first, h, from)+p.recordBits(rec)+repl.EndBits > room {
			break
		}
		if s.from > first {
			p.run.Append(&p.w, h, from)
		} else {
			p.run.Begin(&p.w, h, from)
		}
		if rec.width > 0 {
			all.append(&p.w, rec.from, rec.width)
		} else {
			p.appendBody(&p.world.bodies.list[rec.from])
		}
		p.wrote(sp, rec)
	}
	if s.from == first {
		return 0
	}
	p.run.End(&p.w)
	p.endRecords(sp, &p.plan.records[s.from-1], s.from-first)
	return s.from - first
}

// wrote notes a record that was written.
func (p *Peer) wrote(sp *space, rec *planned) {
	if p.metered {
		sp.sent[rec.at] = p.world.tick
	}
	if p.plan.short.cut {
		p.credit(sp, int(rec.at))
	}
	p.flights.add(sp.first+repl.Handle(rec.at), rec.base)
}

// endRecords counts n records that were written as a run.
func (p *Peer) endRecords(sp *space, last *planned, n int) {
	p.flights.last().groups += n
	p.stats.Updates += uint64(n)
	sp.cursor = int(last.at) + 1
}

// stepBits bounds what stands before a record.
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
