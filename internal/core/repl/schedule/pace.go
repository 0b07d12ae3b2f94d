package schedule

import (
	"math/bits"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/set"
)

// A group with an interval is sent once per that many ticks. Changes of its values between them are
// held; changes of structure are not, and take the held values along. At a peer that may not see
// the change of structure in a private group, the values wait for their tick. Nothing is held for a
// peer that predicts the group, because marks state that it has all as of a tick.
//
// The ticks of a group follow from its handle, so that those of neighbours differ and each tick has
// its share. A private group has as many handles as peers that see it, and so they are sent it in
// different ticks: the handles of groups here depend on groups that the peers do not see.

// ReleaseTurns makes the public groups due that waited for this tick, and the private ones at the
// peers at which they waited for it.
func ReleaseTurns(w *group.State, private func(peer uint16) *group.Space) {
	for i, word := range w.Rates.Waiting {
		for ; word != 0; word &= word - 1 {
			h := i<<6 + bits.TrailingZeros64(word)
			if id := w.Public.Groups[h]; w.IsTurn(uint32(h), uint32(w.Groups[id].Every)) {
				w.Rates.Pace[id].Waits, w.Rates.Pace[id].Released = false, w.Tick
				w.Rates.Waiting.Clear(h)
				w.Moved.Set(h)
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

// releasePrivate makes a private group due at the peers at which it waited for this tick, and reports
// whether it still waits at others.
func releasePrivate(w *group.State, id ident.Group, private func(peer uint16) *group.Space) (waits bool) {
	gr, pc := &w.Groups[id], &w.Rates.Pace[id]
	every := max(1, entangle.Tick(gr.Every))
	if !pc.Waits {
		pc.Listed = false
		return false
	}
	for _, v := range gr.Viewers {
		sp := private(v.Peer())
		if v.Shown() && w.IsTurn(uint32(v.Handle()), uint32(every)) && (gr.Changed == w.Tick || !sp.Predicted.Has(v.Handle())) {
			sp.MarkDue(v.Handle(), w.Tick)
		}
	}
	if waits = w.Tick.Sub(gr.Changed) < int32(every)-1; !waits {
		pc.Waits, pc.Listed = false, false
	}
	return waits
}

// AwaitsTurn reports whether a change waits for the tick of its group, which the peer was not sent.
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

// MakeDue makes due what moves on in this tick. Of what the peer predicts, that is what
// changed in it.
func (p *Planner) MakeDue(moved set.Bitset) {
	sp := &p.groups.Public
	sp.NoteAllDue(moved, p.state.Tick)
	if len(p.Predicted) == 0 || len(p.state.Rates.Groups) == 0 {
		sp.Due.Join(moved)
		return
	}
	for i, word := range moved {
		sp.Due[i] |= word &^ sp.Predicted[i]
	}
	for _, f := range p.Predicted {
		sp, i := p.groups.LocateHandle(f.Group)
		if id := sp.Group(i); id != ident.NoGroup && p.state.Groups[id].Changed == p.state.Tick {
			sp.NoteDue(i, p.state.Tick)
			sp.Due.Set(i)
		}
	}
}
