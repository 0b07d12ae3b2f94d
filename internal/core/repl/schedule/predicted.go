package schedule

import (
	"cmp"
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/flight"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
)

// PredictedGroup is a group of which a peer predicts a member, or may still believe so.
type PredictedGroup struct {
	Group      repl.Handle
	SentHash   uint64 // hash of the predicted set sent last; 0: empty
	Stale      bool   // the present set differs from the one sent last, and has to be sent
	MayPredict bool   // a set with members was sent, and no later empty one is acknowledged
	// FirstSent is the tick in which its last update was first sent, repeats the number of times for
	// which that update may still be repeated.
	FirstSent entangle.Tick
	repeats   uint8
}

// NeededTick returns the tick to which the peer must have a predicted group: later sendings held the
// same.
func (f *PredictedGroup) NeededTick(sp *group.Space, i int) entangle.Tick {
	if structureSent := sp.StructureSent[i]; !sp.Base[i].Before(f.FirstSent) || f.FirstSent.Before(structureSent) {
		return structureSent
	}
	return f.FirstSent
}

// repeat reports whether an update of a predicted group that is not due is to be repeated: as long as the
// peer has not acknowledged it. A group that changes in every tick needs no repeats.
func (p *Planner) repeat(f *PredictedGroup, sp *group.Space, i int) bool {
	tick := p.state.Tick
	if !sp.Base[i].Before(sp.Sent[i]) || !flight.RepeatDue(f.repeats, tick.Sub(sp.Sent[i])) {
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
		case last >= 0 && p.Steps[last].Space == sp && k > 0:
			p.Steps[last].To++
		default:
			p.addStep(sp, from)
		}
	}
	p.PredictedSteps = len(p.Steps)
}

// planPredictedGroup plans a predicted group if it is due, or to be repeated.
func (p *Planner) planPredictedGroup(f *PredictedGroup, sp *group.Space, i int) {
	from, again := len(p.Records), false
	if p.lossy && !p.hasNews(sp, i) {
		if again = p.repeat(f, sp, i); again {
			sp.Resend(i)
		}
	}
	if !sp.Due.Has(i) {
		return
	}
	p.gather(sp, i>>6, 1<<(i&63))
	if p.resolve(sp, from); len(p.Records) > from && !again {
		f.FirstSent, f.repeats = p.state.Tick, flight.MaxRepeats
	}
}

// hasNews reports whether a group is due because of changes that the peer may see.
func (p *Planner) hasNews(sp *group.Space, i int) bool {
	if v := sp.ViewOf(i); v != 0 && sp.Due.Has(i) {
		return p.state.HasVisibleChange(sp.Group(i), v, sp.Sent[i])
	}
	return sp.Due.Has(i)
}

// MayLack reports whether the peer may lack something of a group that it was sent before this tick.
func (p *Planner) MayLack(f *PredictedGroup, sp *group.Space, i int) bool {
	return sp.Unacked[i] != 0 || sp.Base[i].Before(f.NeededTick(sp, i)) && sp.Sent[i] != p.state.Tick
}

// nothingNew notes that a group is due without news beyond the state that the peer has
// acknowledged, though it was sent more: no tick waits for that.
func (p *Planner) nothingNew(sp *group.Space, i int) {
	if sp.Predicted.Has(i) {
		p.Predicted[p.PredictedAt(sp, i)].FirstSent = sp.StructureSent[i]
	}
}

// PredictedAt returns the index of a group in Peer.predicted, or the index at which it would be
// inserted.
func (p *Planner) PredictedAt(sp *group.Space, i int) int {
	at, _ := slices.BinarySearchFunc(p.Predicted, sp.First+repl.Handle(i), func(f PredictedGroup, h repl.Handle) int { return cmp.Compare(f.Group, h) })
	return at
}

// MarkBits is the room for a mark without needs.
const MarkBits = 1 + 8 + 1 + 1 + 7
