package sender

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/encode"
	"github.com/entangle-ecs/entangle/internal/core/repl/flight"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/schedule"
	"github.com/entangle-ecs/entangle/internal/core/rewind"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// updates writes the planned updates of one peer into packets, and moves its baselines when they are acknowledged.
type updates struct {
	groups     *group.Peer
	state      *group.State
	enc        *encode.Encoder
	plan       *schedule.Planner
	prediction *prediction
	stats      *Stats
	received   *rewind.Received // nil: see World.RecordReceived

	flights flight.Packets
	loss    loss
	w       bits.Writer
	run     repl.RunHeads // in the packet that is being written
}

// AppendUpdates writes an updates frame for the packet pkt: as much of this tick's plan as fits
// into room bytes. It returns dst unchanged when there is nothing to send. Groups take turns: the
// next tick continues where this one ended. The frame does not state its tick, which is that of the
// packet's header: World.Hold stops updates in frames in which the two may differ.
func (u *updates) AppendUpdates(dst []byte, room int, pkt uint16) []byte {
	if room < schedule.MinRoom || u.enc.Held {
		return dst
	}
	u.plan.Complete(u.lossy())
	due := u.plan.Next < len(u.plan.Steps)
	if !due && u.plan.MarkPart == 0 {
		return dst
	}
	if room = u.plan.RoomLeft(room); room < schedule.MinRoom {
		return dst
	}
	if !due {
		// The needs of the mark had no room behind the updates.
		out := u.AppendMark(dst, room)
		u.plan.Spend((len(out) - len(dst)) * 8)
		return out
	}
	u.w.Reset(dst)
	u.flights.Begin(pkt, u.state.Tick)
	u.run = repl.RunHeads{Tick: u.state.Tick}
	left, part, needs, marked := room*8, u.plan.MarkPart, u.plan.MarkNeeds, u.plan.MarkDone
	if len(u.plan.Predicted) > 0 {
		left = u.appendPredicted(left)
	}
	for u.plan.Next < len(u.plan.Steps) && u.appendStep(left) {
		u.plan.Next++
	}
	if u.flights.LastIsEmpty() {
		u.flights.Cancel()
		u.plan.MarkPart, u.plan.MarkNeeds, u.plan.MarkDone = part, needs, marked
		return dst
	}
	u.plan.Spend(u.w.LenBits())
	return u.w.Finish()
}

// AppendMark writes an updates frame with nothing but a mark, for a packet that is sent for another reason. It returns
// dst unchanged when the peer predicts nothing, or when not all due predicted groups are sent yet. There is no record of
// the packet in flight: if the mark is lost, a later one confirms a later tick.
func (u *updates) AppendMark(dst []byte, room int) []byte {
	if u.enc.Held || len(u.plan.Predicted) == 0 {
		return dst
	}
	u.plan.Complete(u.lossy())
	if u.plan.MarkDone || u.plan.Next < u.plan.PredictedSteps {
		return dst
	}
	u.w.Reset(dst)
	if u.prediction.appendMark(&u.w, true, room*8); u.w.LenBits() == 0 {
		return dst
	}
	return u.w.Finish()
}

// appendPredicted writes the due predicted groups that fit, followed by a mark. It returns the room
// for the other groups: none while predicted groups are left.
func (u *updates) appendPredicted(room int) int {
	if u.plan.Next >= u.plan.PredictedSteps {
		u.prediction.appendMark(&u.w, true, room)
		return room
	}
	for u.plan.Next < u.plan.PredictedSteps && u.appendStep(room-schedule.MarkBits) {
		u.plan.Next++
	}
	done := u.plan.Next == u.plan.PredictedSteps
	if !u.prediction.appendMark(&u.w, done, room) && !u.flights.LastIsEmpty() {
		u.prediction.appendMark(&u.w, false, room) // the last part comes in another packet; this part counts this packet
	}
	if !done {
		return 0
	}
	return room
}

// appendStep writes a step and reports whether it is complete.
func (u *updates) appendStep(room int) bool {
	s := &u.plan.Steps[u.plan.Next]
	if s.Run == nil {
		return u.appendRecords(s, room)
	}
	if u.w.LenBits()+u.run.HeadBits(s.Run.Groups[0], s.Base)+s.Made.Bytes*8 <= room {
		u.appendCopy(s)
		return true
	}
	if !u.flights.LastIsEmpty() {
		return false
	}
	*s = u.plan.Flatten(s) // this packet has room for a part of the run, and the next packets continue it
	return u.appendRecords(s, room)
}

// appendCopy copies a whole run, or with Unrun encodes it again.
func (u *updates) appendCopy(s *schedule.Step) {
	r, made := s.Run, s.Made
	u.run.Begin(&u.w, r.Groups[0], s.Base)
	if u.enc.Unrun {
		made, _ = u.enc.WriteRun(r, s.Base)
	}
	u.w.Raw(u.enc.Runs.Arena[made.Off : made.Off+made.Bytes])
	u.flights.AddRun(&r.SharedRun, s.Base.Base)
	u.stats.Updates += uint64(len(r.Groups))
	u.groups.Public.MarkRunSent(&r.SharedRun)
	u.groups.Public.Cursor = int(r.Last()) + 1
}

// appendRecords writes the updates of a step as far as they fit, and reports whether the step is complete.
func (u *updates) appendRecords(s *schedule.Step, room int) bool {
	records := u.plan.Records[s.From:s.To]
	if n := u.enc.AppendRun(&u.w, &u.run, s.Space.First, records, room, u.groups); n > 0 {
		u.noteWritten(s.Space, records[:n])
		s.From += n
	}
	return s.From == s.To
}

// noteWritten records that updates were written to the packet.
func (u *updates) noteWritten(sp *group.Space, records []encode.Update) {
	if u.plan.Metered {
		u.plan.NoteWritten(sp, records)
	}
	u.flights.Reserve(len(records))
	for i := range records {
		at := int(records[i].At)
		u.flights.AddGroup(sp.First+repl.Handle(at), sp.ActionInFlight.Has(at), records[i].Base)
	}
	u.stats.Updates += uint64(len(records))
	sp.Cursor = int(records[len(records)-1].At) + 1
}
