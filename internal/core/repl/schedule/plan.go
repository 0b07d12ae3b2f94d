package schedule

import (
	"math/bits"
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/encode"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/set"
)

// plan is what a peer is to be sent of values in one tick, in order: whole runs to
// be copied, and records of its own. All that is shared is encoded when it is made,
// so that several peers can then write their packets at a time.
type plan struct {
	tick    entangle.Tick
	made    bool
	ready   bool // the steps are planned; where room was short the last time, Limit does that
	later   bool // records are encoded when they are chosen
	Steps   []Step
	Records []encode.Update
	Next    int // step

	PredictedSteps int  // number of the first steps: those of predicted groups
	MarkPart       int  // of this tick's mark, the next one
	MarkDone       bool // the last part is written

	short short // of room
}

// NewPlanner returns the planner of a peer. baseline returns the baseline of a peer that waits for values alone of a
// public group, if there is one.
func NewPlanner(groups *group.Peer, enc *encode.Encoder, baseline func(h int) (repl.From, bool)) Planner {
	return Planner{groups: groups, state: groups.State, enc: enc, baseline: baseline}
}

// Planner decides what one peer is sent of values in each tick.
type Planner struct {
	plan
	groups   *group.Peer
	state    *group.State
	enc      *encode.Encoder
	baseline func(h int) (repl.From, bool) // of a peer that waits for values alone of a public group
	// Predicted is the groups of which the peer predicts a member, or may still believe so, rising.
	Predicted []PredictedGroup
	lossy     bool // a packet was lost recently

	Metered      bool // waiting times are kept
	limited      bool // the last limit had less room than was planned
	privateFirst bool // the last tick had no room left for private groups
	choice       choice
	breaches     []breach
	OverdueTotal uint64
}

// Step is a run (run and made), or the records from and to of the plan.
type Step struct {
	Run  *encode.Run
	Made encode.Copy // of a run
	Base repl.From

	Space    *group.Space
	From, To int // in records; their handles rise
}

// MinRoom is the space, in bytes, below which an updates frame is not begun: the
// smallest record with its head.
const MinRoom = 16

// Prepare plans the values that the peer is sent in this tick. If the last limit had less room than was
// planned, Limit does so, which knows how much room there is. Neither may run for two peers at once;
// AppendUpdates may, once all are prepared and have their limits, and prepares a peer that is not.
func (p *Planner) Prepare(lossy bool) {
	if p.prepared() {
		return
	}
	p.Unplan()
	p.lossy = lossy
	p.plan = plan{tick: p.state.Tick, made: true, Steps: p.Steps[:0], Records: p.Records[:0]}
	if !p.limited {
		p.planAll()
	}
}

// Complete plans this tick, without a limit if there was none.
func (p *Planner) Complete(lossy bool) {
	if p.Prepare(lossy); !p.ready {
		p.planAll()
	}
}

// planAll plans all that is due, and encodes it.
func (p *Planner) planAll() {
	p.ready = true
	p.enc.Partition(p.baseline)
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

// planLater plans all that is due, and encodes only the predicted groups, which go together.
func (p *Planner) planLater() {
	p.ready = true
	p.planPredicted()
	p.later = true
	for _, sp := range p.groups.Spaces() {
		from := len(p.Records)
		for i, due := range sp.Due {
			if due &^= sp.Predicted[i] | sp.StructureDue[i]; due != 0 {
				p.gather(sp, i, due)
			}
		}
		p.planned(sp, from)
	}
}

// countDue returns the number of groups that may have values to send.
func (p *Planner) countDue() (n int) {
	for _, sp := range p.groups.Spaces() {
		for i, due := range sp.Due {
			n += bits.OnesCount64(due & sp.Steady[i])
			for due &^= sp.Steady[i]; due != 0; due &= due - 1 {
				k := i<<6 + bits.TrailingZeros64(due)
				switch {
				case sp.Predicted.Has(k) && p.hasNews(sp, k), !sp.Predicted.Has(k) && p.lacksValues(sp, k, sp.Group(k)):
					n++
				case !sp.Predicted.Has(k):
					sp.Due.Clear(k)
				}
			}
		}
	}
	return n
}

// Unplan makes records due again that were planned for an earlier tick and found no packet. Where
// packets are short of room, public and private groups take turns.
func (p *Planner) Unplan() {
	if !p.made {
		return
	}
	p.made = false
	left := p.Steps[p.Next:]
	if len(left) > 0 {
		p.privateFirst = left[len(left)-1].Space == &p.groups.Private
	}
	p.meterLate(left)
	for _, s := range left {
		for ; s.From < s.To; s.From++ {
			s.Space.Resend(int(p.Records[s.From].At))
		}
	}
	if p.Metered {
		p.leave(left)
	}
}

// planOthers plans the due public groups that did not change in this tick, or not in values alone:
// above all those of lost packets.
func (p *Planner) planOthers() {
	sp, valuesOnly := &p.groups.Public, p.enc.Runs.ValuesOnly
	from := len(p.Records)
	for i, due := range sp.Due {
		if due &= ^valuesOnly[i] &^ sp.Predicted[i] &^ sp.StructureDue[i]; due != 0 {
			p.gather(sp, i, due)
		}
	}
	p.planned(sp, from)
}

// gather collects the due groups of one word of a set, with their places, for planned to plan. The
// data of a group is spread over memory, and loads faster when it is requested in a row.
func (p *Planner) gather(sp *group.Space, i int, word uint64) {
	sp.Due[i] &^= word
	n, base, structureSent, ids := len(p.Records), sp.Base, sp.StructureSent, sp.IDs.Groups
	p.Records = slices.Grow(p.Records, bits.OnesCount64(word))[:n+bits.OnesCount64(word)]
	for ; word != 0; word &= word - 1 {
		k := i<<6 + bits.TrailingZeros64(word)
		// Until it is resolved, the record has its group in place of a chunk.
		p.Records[n] = encode.Update{At: int32(k), Chunk: int32(ids[k]), Base: base[k], StructureSent: structureSent[k]}
		n++
	}
}

// resolve makes records of the groups that were gathered from one on, except for those of which there
// is nothing to send.
func (p *Planner) resolve(sp *group.Space, from int) {
	records, n := p.Records, from
	for i := from; i < len(records); i++ {
		if p.planRecord(sp, &records[i]) {
			records[n] = records[i]
			n++
		}
	}
	p.Records = records[:n]
}

// planRuns plans the runs, from where the last tick left off.
func (p *Planner) planRuns() {
	runs := p.enc.Runs.Now
	if len(runs) == 0 {
		return
	}
	first := 0
	for first < len(runs) && int(runs[first].Last()) < p.groups.Public.Cursor {
		first++
	}
	begun := runs[first%len(runs)]
	from, to := begun.Groups[0], begun.Last()
	inside := first < len(runs) && int(from) < p.groups.Public.Cursor
	if inside { // it was begun and not ended: its rest comes first, its beginning last
		p.planPart(repl.Handle(p.groups.Public.Cursor), to)
		first++
	}
	for i := range runs {
		if r := runs[(first+i)%len(runs)]; !inside || r != begun {
			p.planRun(r)
		}
	}
	if inside {
		p.planPart(from, repl.Handle(p.groups.Public.Cursor-1))
	}
}

func (p *Planner) planRun(r *encode.Run) {
	if from, newest, ok := p.takes(r); ok && newest.Before(r.OldestChange) {
		if made := p.enc.CopyOf(r, from); made != nil && made.Bases.Contains(newest) {
			p.Steps = append(p.Steps, Step{Run: r, Made: *made, Base: from})
			r.Carried = true
			return
		}
	}
	p.planPart(r.Groups[0], r.Last())
}

// planPart plans the due groups of runs from one handle to another, record by record.
func (p *Planner) planPart(first, last repl.Handle) {
	from, sp := len(p.Records), &p.groups.Public
	for i := first >> 6; i <= last>>6; i++ {
		if word := p.enc.Runs.ValuesOnly[i] & sp.Due[i] &^ sp.Predicted[i] & set.Within(i, first, last); word != 0 {
			p.gather(sp, int(i), word)
		}
	}
	p.planned(sp, from)
}

// planPrivate plans the groups that have a handle of the peer's own, from where the
// last tick left off.
func (p *Planner) planPrivate() {
	sp := &p.groups.Private
	for _, part := range [2][2]int{{sp.Cursor, len(sp.Phase)}, {0, sp.Cursor}} {
		from := len(p.Records)
		for i := part[0] >> 6; i<<6 < part[1]; i++ {
			if due := sp.Due[i] &^ sp.Predicted[i] &^ sp.StructureDue[i] & set.Within(i, part[0], part[1]-1); due != 0 {
				p.gather(sp, i, due)
			}
		}
		p.planned(sp, from)
	}
}

// planned makes a step of the records that gather has added to the plan, from an index on. Unless
// they are encoded later, all chunks that it needs are encoded here (resolve).
func (p *Planner) planned(sp *group.Space, from int) {
	p.resolve(sp, from)
	p.addStep(sp, from)
}

// addStep makes the records from one on a step, if there are any.
func (p *Planner) addStep(sp *group.Space, from int) {
	if to := len(p.Records); from < to {
		p.Steps = append(p.Steps, Step{Space: sp, From: from, To: to})
	}
}

// planRecord makes a record of a gathered group, and reports whether there is something to send.
func (p *Planner) planRecord(sp *group.Space, rec *encode.Update) bool {
	id := ident.Group(rec.Chunk)
	if !sp.Steady.Has(int(rec.At)) && !p.lacksValues(sp, int(rec.At), id) {
		return false
	}
	if p.later {
		rec.Chunk = int32(^id)
		return true
	}
	return p.encodeRecord(sp, rec, id)
}

// encodeRecord finds the chunk of a record, and reports whether there is something to send.
func (p *Planner) encodeRecord(sp *group.Space, rec *encode.Update, id ident.Group) bool {
	i, home := int(rec.At), p.state.Slots.Home
	rec.Chunk = p.enc.Chunk(id, sp.Baseline(i), sp.ViewOf(i))
	c := &p.enc.Chunks.List[rec.Chunk]
	switch {
	case c.Width == 0: // what changed is acknowledged, paused by now, or hidden
		p.nothingNew(sp, i)
		return false
	case c.Large:
		sp.SendAsAction(i)
		return false
	}
	for _, s := range p.enc.Chunks.SlotsOf(c) {
		p.groups.ReserveHandle(home[s])
		p.groups.MarkReferred(home[s])
	}
	if !p.Metered { // else the plan may be cut down
		sp.Sent[i] = p.state.Tick
	}
	return true
}

// lacksValues reports whether a due group that is not steady may have values to send: not if its
// changes turn out to be acknowledged or hidden, or wait for its structure.
func (p *Planner) lacksValues(sp *group.Space, i int, id ident.Group) bool {
	w := p.state
	switch {
	case id == ident.NoGroup:
		return false
	case !p.wants(sp, i, id):
		if sp.Phase[i] == group.Present && !sp.Base[i].Before(w.Groups[id].Changed) {
			p.nothingNew(sp, i)
		}
		return false
	}
	if v := sp.ViewOf(i); v != 0 && !w.HasVisibleChange(id, v, sp.Sent[i]) {
		if sp.Sent[i] == sp.Base[i] {
			p.nothingNew(sp, i)
		}
		sp.CancelDue(i)
		return false
	}
	return true
}

// wants reports whether values alone can be sent of a group: the peer has its
// present structure, and lacks a change. While structure waits the action will
// carry the values too, so that the peer never holds one tick's values in another
// tick's structure.
func (p *Planner) wants(sp *group.Space, i int, id ident.Group) bool {
	return sp.Phase[i] == group.Present && !sp.StructureDue.Has(i) && !sp.Fragmented.Has(i) && !sp.Retained.Has(i) && sp.Base[i].Before(p.state.Groups[id].Changed)
}

// Flatten returns a run as records of the peer's own. Their chunks are encoded: those of the run serve
// all baselines of the peer.
func (p *Planner) Flatten(s *Step) Step {
	first, groups := len(p.Records), s.Run.Groups
	p.Records = slices.Grow(p.Records, len(groups))
	for _, h := range groups {
		from := p.groups.Public.Baseline(int(h))
		chunk, _ := p.enc.Chunks.Find(p.state.Public.Groups[h], from, 0)
		p.Records = append(p.Records, encode.Update{At: int32(h), Chunk: chunk, Base: from.Base, StructureSent: p.groups.Public.StructureSent[h]})
	}
	return Step{Space: &p.groups.Public, From: first, To: len(p.Records)}
}

// NoteWritten updates the waiting times of a peer with a byte cap.
func (p *Planner) NoteWritten(sp *group.Space, records []encode.Update) {
	for i := range records {
		sp.Sent[records[i].At] = p.state.Tick
		if p.short.cut {
			p.noteLateness(sp, int(records[i].At))
		}
	}
}
