package schedule

import (
	"cmp"
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/flight"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
)

// PredictedGroup is a group with a member that the peer predicts, or predicted according to the last set that it has
// received.
type PredictedGroup struct {
	Group      repl.Handle
	Sent       []repl.Member // the predicted set that was last sent, by rising number
	Stale      bool          // the present set differs from the one that was last sent, and is due
	MayPredict bool          // a set with members was sent, and no later empty set is acknowledged
	FirstSent  entangle.Tick // tick at which its newest update was first sent; repeats of the update are later
	repeats    uint8         // number of times for which that update may still be repeated
}

// NeededTick returns the tick as of which the peer must have received the group, to have all that it was sent of it. What
// was sent at later ticks are repeats.
func (f *PredictedGroup) NeededTick(sp *group.Space, i int) entangle.Tick {
	if actionSent := sp.ActionSent[i]; !sp.Base[i].Before(f.FirstSent) || f.FirstSent.Before(actionSent) {
		return actionSent
	}
	return f.FirstSent
}

// takeRepeat reports whether the newest update of a predicted group, which has no newer change, is to be repeated now,
// and counts the repeat. An update is repeated until the peer has acknowledged it.
func (p *Planner) takeRepeat(f *PredictedGroup, sp *group.Space, i int) bool {
	tick := p.state.Tick
	if !sp.Base[i].Before(sp.Planned[i]) || !flight.RepeatDue(f.repeats, tick.Sub(sp.Planned[i])) {
		return false
	}
	f.repeats--
	return true
}

// planPredicted plans the predicted groups that are due.
func (p *Planner) planPredicted() {
	for k := range p.Predicted {
		f := &p.Predicted[k]
		sp, i := p.groups.LocateHandle(f.Group)
		from := len(p.Records)
		p.planPredictedGroup(f, sp, i)
		last := len(p.Steps) - 1
		switch {
		case len(p.Records) == from:
		case last >= 0 && p.Steps[last].Space == sp:
			p.Steps[last].To++
		default:
			p.addStep(sp, from, len(p.Records))
		}
	}
	p.PredictedSteps = len(p.Steps)
}

// planPredictedGroup plans the update of a predicted group, if it is due or its repeat is.
func (p *Planner) planPredictedGroup(f *PredictedGroup, sp *group.Space, i int) {
	from, again := len(p.Records), false
	if p.lossy && !p.hasUnsentChange(sp, i) {
		if again = p.takeRepeat(f, sp, i); again {
			sp.NoteDue(i, p.state.Tick)
			sp.Requeue(i)
		}
	}
	if !sp.Due.Has(i) {
		return
	}
	p.gatherDue(sp, i>>6, 1<<(i&63))
	if p.resolveGathered(sp, from); len(p.Records) > from && !again {
		f.FirstSent, f.repeats = p.state.Tick, flight.MaxRepeats
	}
}

// hasUnsentChange reports whether a group is due, and has an unsent change that the peer may see.
func (p *Planner) hasUnsentChange(sp *group.Space, i int) bool {
	if v := sp.ViewOf(i); v != 0 && sp.Due.Has(i) {
		return p.state.HasVisibleChange(sp.Group(i), v, sp.Planned[i])
	}
	return sp.Due.Has(i)
}

// MayLack reports whether the peer may lack something that it was sent of a group before this tick.
func (p *Planner) MayLack(f *PredictedGroup, sp *group.Space, i int) bool {
	return sp.Unacked[i] != 0 || sp.Base[i].Before(f.NeededTick(sp, i)) && sp.Planned[i] != p.state.Tick
}

// noteAcked records that a due predicted group has no change which the peer may see and has not acknowledged. The needs
// of marks then have no tick of an update of it.
func (p *Planner) noteAcked(sp *group.Space, i int) {
	if sp.Predicted.Has(i) {
		p.Predicted[p.SearchPredicted(sp, i)].FirstSent = sp.ActionSent[i]
	}
}

// SearchPredicted returns the index of a group in Predicted, or the index at which to insert it.
func (p *Planner) SearchPredicted(sp *group.Space, i int) int {
	at, _ := slices.BinarySearchFunc(p.Predicted, sp.First+repl.Handle(i), func(f PredictedGroup, h repl.Handle) int { return cmp.Compare(f.Group, h) })
	return at
}

// MarkBits is an upper bound of the size in bits of a mark without needs.
const MarkBits = 1 + 8 + 1 + 1 + 7
