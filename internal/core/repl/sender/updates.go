package sender

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/encode"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/schedule"
)

// AppendUpdates writes an updates frame for the packet pkt: as much of this tick's plan as fits
// into room bytes. It returns dst unchanged when there is nothing to send. Groups take turns: the
// next tick continues where this one ended.
func (p *Peer) AppendUpdates(dst []byte, room int, pkt uint16) []byte {
	if room < schedule.MinRoom || p.enc.Held {
		return dst
	}
	p.plan.Complete(p.lossy())
	if p.plan.Next == len(p.plan.Steps) {
		return dst
	}
	if room = p.plan.RoomLeft(room); room < schedule.MinRoom {
		return dst
	}
	p.w.Reset(dst)
	p.flights.Begin(pkt, p.state.Tick)
	p.run = repl.Run{Tick: p.state.Tick}
	left, part, marked := room*8, p.plan.MarkPart, p.plan.MarkDone
	if len(p.plan.Predicted) > 0 {
		left = p.appendPredicted(left)
	}
	for p.plan.Next < len(p.plan.Steps) && p.appendStep(left) {
		p.plan.Next++
	}
	if p.flights.LastIsEmpty() {
		p.flights.Cancel()
		p.plan.MarkPart, p.plan.MarkDone = part, marked
		return dst
	}
	p.plan.Spend(p.w.LenBits())
	return p.w.Finish()
}

// AppendMark writes an updates frame with nothing but a mark, for a packet that is sent for another reason. It returns
// dst unchanged when the peer predicts nothing, or when not all due predicted groups are sent yet.
func (p *Peer) AppendMark(dst []byte, room int) []byte {
	if p.enc.Held || len(p.plan.Predicted) == 0 {
		return dst
	}
	p.plan.Complete(p.lossy())
	if p.plan.MarkDone || p.plan.Next < p.plan.PredictedSteps {
		return dst
	}
	p.w.Reset(dst)
	if p.prediction.appendMark(&p.w, true, room*8); p.w.LenBits() == 0 {
		return dst
	}
	return p.w.Finish()
}

// appendPredicted writes the due predicted groups that fit, followed by a mark. It returns the room
// for the other groups: none while predicted groups are left.
func (p *Peer) appendPredicted(room int) int {
	if p.plan.Next >= p.plan.PredictedSteps {
		p.prediction.appendMark(&p.w, true, room)
		return room
	}
	for p.plan.Next < p.plan.PredictedSteps && p.appendStep(room-schedule.MarkBits) {
		p.plan.Next++
	}
	done := p.plan.Next == p.plan.PredictedSteps
	if !p.prediction.appendMark(&p.w, done, room) && !p.flights.LastIsEmpty() {
		p.prediction.appendMark(&p.w, false, room) // the last part comes in another packet; this part counts this packet
	}
	if !done {
		return 0
	}
	return room
}

// appendStep writes a step and reports whether it is complete.
func (p *Peer) appendStep(room int) bool {
	s := &p.plan.Steps[p.plan.Next]
	if s.Run == nil {
		return p.appendRecords(s, room)
	}
	if p.w.LenBits()+p.run.HeadBits(s.Run.Groups[0], s.Base)+s.Made.Bytes*8 <= room {
		p.appendCopy(s)
		return true
	}
	if !p.flights.LastIsEmpty() {
		return false
	}
	return p.appendFlattened(s, room)
}

// appendCopy copies a whole run, or with Unrun encodes it again.
func (p *Peer) appendCopy(s *schedule.Step) {
	r, made := s.Run, s.Made
	p.run.Begin(&p.w, r.Groups[0], s.Base)
	if p.enc.Unrun {
		made, _ = p.enc.WriteRun(r, s.Base)
	}
	p.w.Raw(p.enc.Runs.Arena[made.Off : made.Off+made.Bytes])
	p.flights.AddRun(&r.Run, s.Base.Base)
	p.stats.Updates += uint64(len(r.Groups))
	p.groups.Public.MarkRunSent(&r.Run)
	p.groups.Public.Cursor = int(r.Last()) + 1
}

// appendFlattened writes as much of a run as fits into an empty packet that has no room for all of it. The run becomes a
// step of updates, which the next packets continue.
func (p *Peer) appendFlattened(s *schedule.Step, room int) bool {
	r := s.Run
	*s = p.plan.Flatten(s)
	for _, h := range r.Groups {
		p.groups.Public.Sent[h] = p.state.Tick
	}
	p.groups.Public.MarkRunSent(&r.Run)
	return p.appendRecords(s, room)
}

// appendRecords writes the updates of a step as far as they fit, and reports whether the step is complete.
func (p *Peer) appendRecords(s *schedule.Step, room int) bool {
	records := p.plan.Records[s.From:s.To]
	if n := p.enc.AppendRun(&p.w, &p.run, s.Space.First, records, room, &p.groups); n > 0 {
		p.noteWritten(s.Space, records[:n])
		s.From += n
	}
	return s.From == s.To
}

// noteWritten records that updates were written to the packet.
func (p *Peer) noteWritten(sp *group.Space, records []encode.Update) {
	if p.plan.Metered {
		p.plan.NoteWritten(sp, records)
	}
	p.flights.Reserve(len(records))
	for i := range records {
		at := int(records[i].At)
		p.flights.AddGroup(sp.First+repl.Handle(at), sp.ActionInFlight.Has(at), records[i].Base)
	}
	p.stats.Updates += uint64(len(records))
	sp.Cursor = int(records[len(records)-1].At) + 1
}
