package schedule

import (
	"math/bits"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/set"
)

// A group with an interval of n ticks has a turn every n ticks. A change of values waits for the next turn. A change of
// structure does not wait, and its action carries the values that waited. If the view of a peer hides that change of
// structure, the values wait for their turn there. Nothing waits at a peer that predicts the group, because a mark says
// that the peer has the predicted groups as of a tick.
//
// The turns of a group depend on its handle, so that each tick has an equal share of the groups. A private group has a
// handle per peer. Its turns depend on the peer's handle and not on a number that peers share, which would reveal
// groups that the peer does not see.

// ReleaseTurns makes due the changes that waited for a turn in this tick: it adds public groups to State.Changed, and
// marks private groups as due at each peer at which they have a turn. private returns the private space of a peer.
func ReleaseTurns(w *group.State, private func(peer uint16) *group.Space) {
	for i, word := range w.Rates.Waiting {
		for ; word != 0; word &= word - 1 {
			h := i<<6 + bits.TrailingZeros64(word)
			if id := w.Public.Groups[h]; w.IsTurn(uint32(h), uint32(w.Groups[id].Every)) {
				w.Rates.Pace[id].Waits, w.Rates.Pace[id].Released = false, w.Tick
				w.Rates.Waiting.Clear(h)
				w.Changed.Public.Set(h)
			}
		}
	}
	kept := w.Rates.WaitingPrivate[:0]
	for _, id := range w.Rates.WaitingPrivate {
		if releasePrivate(w, id, private) {
			kept = append(kept, id)
		}
	}
	w.Rates.WaitingPrivate = kept
}

// releasePrivate makes a private group due at the peers at which it has a turn in this tick, and reports whether its
// change still waits at others.
func releasePrivate(w *group.State, id ident.GroupIndex, private func(peer uint16) *group.Space) (waits bool) {
	gr, pc := &w.Groups[id], &w.Rates.Pace[id]
	every := max(1, entangle.Tick(gr.Every))
	if !pc.Waits {
		pc.Listed = false
		return false
	}
	for _, v := range gr.Viewers {
		sp := private(v.Peer())
		if v.Shown() && w.IsTurn(uint32(v.Handle()), uint32(every)) && !sp.Predicted.Has(v.Handle()) {
			sp.MarkDue(v.Handle(), w.Tick)
		}
	}
	if waits = w.Tick.Sub(gr.Changed) < int32(every)-1; !waits {
		pc.Waits, pc.Listed = false, false
	}
	return waits
}

// AwaitsTurn reports whether a change that the peer was not sent waits for the turn of its group.
func (p *Planner) AwaitsTurn() bool {
	w := p.state
	if !w.Rates.Waiting.Empty() {
		return true
	}
	for _, id := range w.Rates.WaitingPrivate {
		sp, i := p.groups.Locate(id)
		if w.Rates.Pace[id].Waits && p.groups.SeesGroup(id) && sp.Base[i].Before(w.Groups[id].Changed) {
			return true
		}
	}
	return false
}

// MakeDue makes the public groups due that changed in this tick or had a turn in it (State.Changed). A predicted group is
// due when it changes, and not at its turns.
func (p *Planner) MakeDue(changed set.Bitset) {
	sp := &p.groups.Public
	sp.NoteAllDue(changed, p.state.Tick)
	if len(p.Predicted) == 0 || len(p.state.Rates.Groups) == 0 {
		sp.Due.Join(changed)
		return
	}
	for i, word := range changed {
		sp.Due[i] |= word &^ sp.Predicted[i]
	}
	for _, f := range p.Predicted {
		sp, i := p.groups.LocateHandle(f.Group)
		if id := sp.Group(i); id != ident.NoGroup && p.state.Groups[id].Changed == p.state.Tick {
			sp.MarkDue(i, p.state.Tick)
		}
	}
}
