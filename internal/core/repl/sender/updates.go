package sender

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/encode"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
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
	p.plan.complete(p.lossy())
	if p.plan.next == len(p.plan.steps) {
		return dst
	}
	if room = p.plan.roomLeft(room); room < minRoom {
		return dst
	}
	p.w.Reset(dst)
	p.flights.Begin(pkt, p.state.Tick)
	p.run = repl.Run{Tick: p.state.Tick}
	left, part, marked := room*8, p.plan.part, p.plan.marked
	if len(p.plan.predicted) > 0 {
		left = p.appendPredicted(left)
	}
	for p.plan.next < len(p.plan.steps) && p.appendStep(left) {
		p.plan.next++
	}
	if p.flights.LastIsEmpty() {
		p.flights.Cancel()
		p.plan.part, p.plan.marked = part, marked
		return dst
	}
	p.plan.spend(p.w.LenBits())
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
	if !p.appendMark(done, room) && !p.flights.LastIsEmpty() {
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
	if p.w.LenBits()+p.run.HeadBits(s.run.Groups[0], s.base)+s.made.Bytes*8 <= room {
		p.appendCopy(s)
		return true
	}
	if !p.flights.LastIsEmpty() {
		return false
	}
	return p.appendApart(s, room)
}

// appendCopy copies a whole run; with Unrun it writes the run once more.
func (p *Peer) appendCopy(s *step) {
	w, r, made := p.world, s.run, s.made
	p.run.Begin(&p.w, r.Groups[0], s.base)
	if w.enc.Unrun {
		made, _ = w.enc.WriteRun(r, s.base)
	}
	p.w.Raw(w.enc.Runs.Arena[made.Off : made.Off+made.Bytes])
	p.flights.AddRun(&r.Run, s.base.Base)
	p.stats.Updates += uint64(len(r.Groups))
	p.groups.Public.SendRun(&r.Run)
	p.groups.Public.Cursor = int(r.Last()) + 1
}

// appendApart writes the part of a run that fits, where the other contents of a packet leave no
// room for all of it: the run becomes records of the peer's own, including the rest.
func (p *Peer) appendApart(s *step, room int) bool {
	r := s.run
	*s = p.plan.flat(s)
	for _, h := range r.Groups {
		p.groups.Public.Sent[h] = p.state.Tick
	}
	p.groups.Public.SendRun(&r.Run)
	return p.appendRecords(s, room)
}

// flat returns a run as records of the peer's own. Their chunks are encoded: those of the run serve
// all baselines of the peer.
func (p *planner) flat(s *step) step {
	first, groups := len(p.records), s.run.Groups
	p.records = slices.Grow(p.records, len(groups))
	for _, h := range groups {
		from := p.groups.Public.Baseline(int(h))
		chunk, _ := p.enc.Chunks.Find(p.state.Public.Groups[h], from, 0)
		p.records = append(p.records, encode.Update{At: int32(h), Chunk: chunk, Base: from.Base, StructureSent: p.groups.Public.StructureSent[h]})
	}
	return step{space: &p.groups.Public, from: first, to: len(p.records)}
}

// appendRecords writes records as a run of the peer's own, as far as they fit, and reports whether
// none are left.
func (p *Peer) appendRecords(s *step, room int) bool {
	records := p.plan.records[s.from:s.to]
	if n := p.enc.AppendRun(&p.w, &p.run, s.space.First, records, room, (*reader)(p)); n > 0 {
		p.wrote(s.space, records[:n])
		s.from += n
	}
	return s.from == s.to
}

// wrote notes that records were written as a run.
func (p *Peer) wrote(sp *group.Space, records []encode.Update) {
	if p.plan.metered {
		p.plan.wroteMetered(sp, records)
	}
	for i := range records {
		at := int(records[i].At)
		p.flights.AddGroup(sp.First+repl.Handle(at), sp.ActionInFlight.Has(at), records[i].Base)
	}
	p.stats.Updates += uint64(len(records))
	sp.Cursor = int(records[len(records)-1].At) + 1
}

// wroteMetered updates the waiting times of a peer with a byte cap.
func (p *planner) wroteMetered(sp *group.Space, records []encode.Update) {
	for i := range records {
		sp.Sent[records[i].At] = p.state.Tick
		if p.short.cut {
			p.noteLateness(sp, int(records[i].At))
		}
	}
}
