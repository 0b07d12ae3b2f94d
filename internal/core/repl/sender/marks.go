package sender

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/flight"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
)

// repeat reports whether an update of a predicted group that is not due is to be repeated: as long as the
// peer has not acknowledged it. A group that changes in every tick needs no repeats.
func (p *planner) repeat(f *predictedGroup, sp *group.Space, i int) bool {
	tick := p.state.Tick
	if !sp.Base[i].Before(sp.Sent[i]) || !flight.RepeatDue(f.repeats, tick.Sub(sp.Sent[i])) {
		return false
	}
	f.repeats--
	return true
}

// planPredicted plans the predicted groups that are due.
func (p *planner) planPredicted() {
	for k := range p.predicted {
		f := &p.predicted[k]
		sp, i := p.groups.LocateHandle(f.group)
		from := len(p.records)
		p.planPredictedGroup(f, sp, i)
		last := len(p.steps) - 1
		switch {
		case len(p.records) == from:
		case last >= 0 && p.steps[last].space == sp && k > 0:
			p.steps[last].to++
		default:
			p.addStep(sp, from)
		}
	}
	p.first = len(p.steps)
}

// planPredictedGroup plans a predicted group if it is due, or to be repeated.
func (p *planner) planPredictedGroup(f *predictedGroup, sp *group.Space, i int) {
	from, again := len(p.records), false
	if p.lossy && !p.hasNews(sp, i) {
		if again = p.repeat(f, sp, i); again {
			sp.Resend(i)
		}
	}
	if !sp.Due.Has(i) {
		return
	}
	p.gather(sp, i>>6, 1<<(i&63))
	if p.resolve(sp, from); len(p.records) > from && !again {
		f.since, f.repeats = p.state.Tick, flight.MaxRepeats
	}
}

// hasNews reports whether a group is due because of changes that the peer may see.
func (p *planner) hasNews(sp *group.Space, i int) bool {
	if v := sp.ViewOf(i); v != 0 && sp.Due.Has(i) {
		return p.state.Shows(sp.Group(i), v, sp.Sent[i])
	}
	return sp.Due.Has(i)
}

// AppendMark writes an updates frame with nothing but a mark, for a packet that goes out anyway. It
// returns dst unchanged when there is nothing to mark, or when the groups to be marked are not sent
// yet.
func (p *Peer) AppendMark(dst []byte, room int) []byte {
	if p.world.held || len(p.plan.predicted) == 0 {
		return dst
	}
	p.plan.complete(p.lossy())
	if p.plan.marked || p.plan.next < p.plan.first {
		return dst
	}
	p.w.Reset(dst)
	if p.appendMark(true, room*8); p.w.LenBits() == 0 {
		return dst
	}
	return p.w.Finish()
}

// markBits is the room for a mark without needs.
const markBits = 1 + 8 + 1 + 1 + 7

// appendMark writes one part of this tick's mark. The last part lists the other groups that the
// peer must have: earlier sendings that are not acknowledged. When something of them was not sent
// yet, or when the list does not fit, no last part is written. It reports whether there was room.
func (p *Peer) appendMark(last bool, room int) bool {
	if p.plan.marked || p.plan.part == repl.MaxParts {
		return true
	}
	p.needs = p.needs[:0]
	if last {
		if !p.findUnsettled() {
			return true
		}
		if p.w.LenBits()+markBits+repl.NeedsBits(len(p.needs)) > room {
			return false
		}
		p.plan.marked = true
	}
	p.w.Bool(true)
	p.w.Uvarint(uint64(p.plan.part))
	p.w.Bool(last)
	if last {
		repl.AppendNeeds(&p.w, p.state.Tick, p.needs)
	}
	p.w.Align()
	p.plan.part++
	return true
}

// findUnsettled collects the predicted groups of which the peer may lack something that it was
// sent. It is not ok when something was not sent.
func (p *Peer) findUnsettled() (ok bool) {
	for k := range p.plan.predicted {
		f := &p.plan.predicted[k]
		sp, i := p.groups.LocateHandle(f.group)
		id := sp.Group(i)
		switch {
		case id == ident.NoGroup || p.state.Groups[id].TooLarge, sp.Phase[i] == group.Absent && !sp.StructureDue.Has(i):
			// The peer never had it, or will receive no more of it: nothing to wait for.
		case sp.Phase[i] == group.Ending && !sp.StructureDue.Has(i):
			p.needs = append(p.needs, repl.Need{Group: f.group, Tick: sp.StructureSent[i]})
		case sp.StructureDue.Has(i) || sp.Due.Has(i) || sp.Fragmented.Has(i) || sp.NeedsFull.Has(i):
			return false
		case p.plan.owed(f, sp, i):
			p.needs = append(p.needs, repl.Need{Group: f.group, Tick: f.needed(sp, i)})
		}
	}
	return len(p.needs) <= repl.MaxNeeds
}

// owed reports whether the peer may lack something of a group that it was sent before this tick.
func (p *planner) owed(f *predictedGroup, sp *group.Space, i int) bool {
	return sp.Unacked[i] != 0 || sp.Base[i].Before(f.needed(sp, i)) && sp.Sent[i] != p.state.Tick
}

// needed returns the tick to which the peer must have a predicted group: later sendings held the
// same.
func (f *predictedGroup) needed(sp *group.Space, i int) entangle.Tick {
	if told := sp.StructureSent[i]; !sp.Base[i].Before(f.since) || f.since.Before(told) {
		return told
	}
	return f.since
}

// nothingNew notes that a group is due without news beyond the state that the peer has
// acknowledged, though it was sent more: no tick waits for that.
func (p *planner) nothingNew(sp *group.Space, i int) {
	if sp.Predicted.Has(i) {
		p.predicted[p.predictedAt(sp, i)].since = sp.StructureSent[i]
	}
}
