package schedule

import (
	"iter"
	"math"
	"math/bits"
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/encode"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/set"
)

// plan is the updates that a peer is sent in one tick, in this order. All contents are encoded when the plan is made, so
// that the packets of several peers can then be written at the same time.
type plan struct {
	tick    entangle.Tick
	made    bool // Prepare was called, and RequeueUnsent was not yet
	later   bool // updates are encoded only when they are chosen, except those of predicted groups
	Steps   []Step
	Records []encode.Update // of the steps
	Next    int             // index of the first step that is not fully written

	PredictedSteps int  // the first steps, so many, are those of predicted groups
	MarkPart       int  // number of the next part of this tick's mark
	MarkNeeds      int  // how many needs the parts name so far
	MarkDone       bool // the last part of the mark is written

	short short
}

// NewPlanner returns the planner of a peer.
func NewPlanner(groups *group.Peer, enc *encode.Encoder) Planner {
	return Planner{groups: groups, state: groups.State, enc: enc}
}

// Planner decides which updates one peer is sent in each tick.
type Planner struct {
	plan
	groups *group.Peer
	state  *group.State
	enc    *encode.Encoder
	// Predicted is the groups for which Space.Predicted is set, by rising handle.
	Predicted []PredictedGroup
	lossy     bool // a packet was lost recently

	Metered      bool // waiting times are stored
	limited      bool // the last limit had no room for all due updates
	privateFirst bool // private groups come first, because the last tick had no room for them
	choice       choice
	breaches     []breach
	OverdueTotal uint64
}

// Step is a run that is copied whole (Run, Made, Base), or updates of groups of one space (Space, From, To).
type Step struct {
	Run  *encode.SharedRun // nil for a step of updates
	Made encode.Copy
	Base repl.From

	Space    *group.Space
	From, To int // range in plan.Records, with rising handles
}

// groupsOf returns the groups of some steps: their spaces and indexes.
func (p *Planner) groupsOf(steps []Step) iter.Seq2[*group.Space, int] {
	return func(yield func(*group.Space, int) bool) {
		for i := range steps {
			s := &steps[i]
			if s.Run != nil {
				for _, h := range s.Run.Groups {
					if !yield(&p.groups.Public, int(h)) {
						return
					}
				}
			}
			for rec := s.From; rec < s.To; rec++ {
				if !yield(s.Space, int(p.Records[rec].At)) {
					return
				}
			}
		}
	}
}

// MinRoom is the number of bytes that the smallest record takes with its head. With less room, no updates frame is begun.
const MinRoom = 16

// Prepare plans the updates of this tick: see Prepare of sender.Peer.
func (p *Planner) Prepare(lossy bool) {
	if p.enc.Held || p.made {
		return
	}
	p.lossy = lossy
	p.plan = plan{tick: p.state.Tick, made: true, Steps: p.Steps[:0], Records: p.Records[:0], short: short{left: math.MaxInt}}
	p.planPredicted()
	p.planOthers(p.limited)
}

// Complete plans and encodes the updates of this tick if Prepare and Limit have not.
func (p *Planner) Complete(lossy bool) {
	if p.Prepare(lossy); p.later && !p.short.cut {
		p.planOthers(false)
	}
}

// planOthers plans all due updates of groups that are not predicted. If later is set, they are one step for each space, and
// are encoded when they are chosen: most have no room. What was planned of them before is planned again.
func (p *Planner) planOthers(later bool) {
	for sp, i := range p.groupsOf(p.Steps[p.PredictedSteps:]) {
		sp.Requeue(i)
	}
	p.Steps = p.Steps[:p.PredictedSteps]
	p.later, p.short.wanted = later, 0
	if later {
		for _, sp := range p.groups.Spaces() {
			p.planDue(sp, 0, sp.Len()-1, nil)
		}
		return
	}
	p.enc.Partition()
	if p.privateFirst {
		p.planPrivate()
	}
	// Changed groups are in runs: the other due groups are mostly those with a lost update.
	p.planDue(&p.groups.Public, 0, p.groups.Public.Len()-1, p.enc.Runs.ValuesOnly)
	p.planRuns()
	if !p.privateFirst {
		p.planPrivate()
	}
}

// RequeueUnsent makes due again the updates of an earlier tick's plan that no packet had room for. If there are any, public
// and private groups take turns in coming first.
func (p *Planner) RequeueUnsent() {
	if !p.made {
		return
	}
	p.made = false
	left := p.Steps[p.Next:]
	if len(left) > 0 {
		p.privateFirst = left[len(left)-1].Space == &p.groups.Private
	}
	p.meterLate(left)
	for sp, i := range p.groupsOf(left) {
		sp.Requeue(i)
	}
	if p.Metered {
		p.choice.broken = p.short.cut && len(left) > 0
		for sp, i := range p.groupsOf(left) {
			p.checkBound(sp, i)
		}
	}
}

// planDue plans the due groups of a space with indexes from first to last, group by group: without predicted groups, those
// with due structure, and those of except. It encodes their chunks, unless plan.later is set.
func (p *Planner) planDue(sp *group.Space, first, last int, except set.Bitset) {
	from := len(p.Records)
	for i := first >> 6; i<<6 <= last; i++ {
		due := sp.Due[i] &^ (sp.Predicted[i] | sp.StructureDue[i]) & set.Within(i, first, last)
		if except != nil {
			due &^= except[i]
		}
		if due != 0 {
			p.gatherDue(sp, i, due)
		}
	}
	p.resolveGathered(sp, from)
	p.addStep(sp, from, len(p.Records))
}

// gatherDue appends a record for each group of one word of a bitset, and clears their Due bits. resolveGathered completes
// the records. The data of a group is spread over memory, and loads faster when the loads follow each other.
func (p *Planner) gatherDue(sp *group.Space, i int, word uint64) {
	sp.Due[i] &^= word
	n, base, actionSent, ids := len(p.Records), sp.Base, sp.ActionSent, sp.IDs.Groups
	p.Records = slices.Grow(p.Records, bits.OnesCount64(word))[:n+bits.OnesCount64(word)]
	for ; word != 0; word &= word - 1 {
		k := i<<6 + bits.TrailingZeros64(word)
		p.Records[n] = encode.Update{At: int32(k), Chunk: int32(^ids[k]), Base: base[k], Earliest: actionSent[k]}
		n++
	}
}

// resolveGathered encodes the gathered records from an index on, unless plan.later is set, and removes those without
// anything to send.
func (p *Planner) resolveGathered(sp *group.Space, from int) {
	records, n := p.Records, from
	for i := from; i < len(records); i++ {
		rec := &records[i]
		if !sp.IsSteady(int(rec.At)) && !p.hasUnsentValues(sp, int(rec.At)) {
			continue
		}
		if p.later || p.encodeRecord(sp, rec) {
			records[n] = *rec
			n++
		}
	}
	p.Records = records[:n]
}

// planRuns plans the runs of this tick, beginning at the handle at which the last tick ended. The due groups that no run
// has are planned already.
func (p *Planner) planRuns() {
	sp, runs := &p.groups.Public, p.enc.Runs.Now
	if len(runs) == 0 {
		return
	}
	first := 0
	for first < len(runs) && int(runs[first].Last()) < sp.Cursor {
		first++
	}
	begun := runs[first%len(runs)]
	from, to := int(begun.Groups[0]), int(begun.Last())
	inside := first < len(runs) && from < sp.Cursor
	if inside { // the last tick ended inside this run: the rest comes first, the beginning last
		p.planDue(sp, sp.Cursor, to, nil)
		first++
	}
	for i := range runs {
		if r := runs[(first+i)%len(runs)]; !inside || r != begun {
			p.planRun(r)
		}
	}
	if inside {
		p.planDue(sp, from, sp.Cursor-1, nil)
	}
}

// planRun plans a run: as a copy if the baselines of the peer allow it, and else group by group.
func (p *Planner) planRun(r *encode.SharedRun) {
	if from, newest, ok := p.runBaselines(r); ok {
		if made := p.enc.CopyOf(r, from); made != nil && made.Bases.Contains(newest) {
			p.Steps = append(p.Steps, Step{Run: r, Made: *made, Base: from})
			due, first, last := p.groups.Public.Due, r.Groups[0], r.Last()
			for i := first >> 6; i <= last>>6; i++ {
				due[i] &^= p.enc.Runs.ValuesOnly[i] & set.Within(i, first, last)
			}
			return
		}
	}
	p.planDue(&p.groups.Public, int(r.Groups[0]), int(r.Last()), nil)
}

// planPrivate plans the due private groups, beginning at the handle at which the last tick ended.
func (p *Planner) planPrivate() {
	sp := &p.groups.Private
	p.planDue(sp, sp.Cursor, sp.Len()-1, nil)
	p.planDue(sp, 0, sp.Cursor-1, nil)
}

// addStep adds a step of the records from an index on and before another, if there are any.
func (p *Planner) addStep(sp *group.Space, from, to int) {
	if from < to {
		p.Steps = append(p.Steps, Step{Space: sp, From: from, To: to})
	}
}

// encodeRecord sets the chunk of a record that has none yet. The chunk is encoded, unless it was for another peer. It
// reports whether there is something to send. A group with a chunk that is too large for a packet becomes due as an action instead.
func (p *Planner) encodeRecord(sp *group.Space, rec *encode.Update) bool {
	i, home := int(rec.At), p.state.Slots.Home
	rec.Chunk = p.enc.Chunk(ident.GroupIndex(^rec.Chunk), sp.Baseline(i), sp.ViewOf(i))
	c := &p.enc.Chunks.List[rec.Chunk]
	switch {
	case c.Width == 0: // each change is acknowledged, hidden, or of an entity that is now paused
		p.noteAcked(sp, i)
		return false
	case c.Large:
		sp.SendAsAction(i)
		return false
	}
	for _, s := range p.enc.Chunks.SlotsOf(c) {
		p.groups.ReserveHandle(home[s])
		p.groups.MarkReferred(home[s])
	}
	if !p.Metered { // otherwise a limit may drop the record; NoteWritten sets Planned
		sp.Planned[i] = p.state.Tick
	}
	return true
}

// hasUnsentValues reports whether a due group that is not steady may have values to send. It has none if its changes are
// acknowledged or hidden, or if they are sent with its structure.
func (p *Planner) hasUnsentValues(sp *group.Space, i int) bool {
	w, id := p.state, sp.Group(i)
	switch {
	case id == ident.NoGroup:
		return false
	case !p.canUpdate(sp, i, id):
		if sp.Present.Has(i) && !sp.Base[i].Before(w.Groups[id].Changed) {
			p.noteAcked(sp, i)
		}
		return false
	}
	if v := sp.ViewOf(i); v != 0 && !w.HasVisibleChange(id, v, sp.Planned[i]) {
		if sp.Planned[i] == sp.Base[i] {
			p.noteAcked(sp, i)
		}
		return false
	}
	return true
}

// canUpdate reports whether a group is to be sent as an update: the peer was sent its present structure, and lacks a
// change. While structure is due, the action carries the values as well, so that the peer never has values of one tick
// in the structure of another.
func (p *Planner) canUpdate(sp *group.Space, i int, id ident.GroupIndex) bool {
	return sp.Present.Has(i) && !sp.StructureDue.Has(i) && !sp.Fragmented.Has(i) && !sp.Retained.Has(i) && sp.Base[i].Before(p.state.Groups[id].Changed)
}

// Flatten replaces the step of a run, which no packet has room for, by a step of updates. Their chunks are encoded already:
// the chunks of the run serve all baselines of the peer.
func (p *Planner) Flatten(s *Step) Step {
	first, groups := len(p.Records), s.Run.Groups
	p.Records = slices.Grow(p.Records, len(groups))
	for _, h := range groups {
		p.groups.Public.Planned[h] = p.state.Tick
		from := p.groups.Public.Baseline(int(h))
		chunk, _ := p.enc.Chunks.Find(p.state.Public.Groups[h], from, 0)
		p.Records = append(p.Records, encode.Update{At: int32(h), Chunk: chunk, Base: from.Base, Earliest: p.groups.Public.ActionSent[h]})
	}
	return Step{Space: &p.groups.Public, From: first, To: len(p.Records)}
}

// NoteWritten records that updates were written to a packet of a metered peer, and how late they were.
func (p *Planner) NoteWritten(sp *group.Space, records []encode.Update) {
	for i := range records {
		sp.Planned[records[i].At] = p.state.Tick
		if p.short.cut {
			p.noteLateness(sp, int(records[i].At))
		}
	}
}
