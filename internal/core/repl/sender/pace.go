package sender

import (
	"math/bits"

	"github.com/entangle-ecs/entangle"
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

// pace is how far a group has come between one of its ticks and the next.
type pace struct {
	waits    bool          // it changed, and waits for its tick, or that of some peer
	listed   bool          // it is in rates.waitingPrivate
	first    entangle.Tick // of a public group: the first change that it waits with, or waited
	released entangle.Tick // of a public group: its last tick
}

// isTurn reports whether one of the ticks of a handle has come since the Begin before:
// not every tick is one that is sent.
func (w *State) isTurn(h, every uint32) bool {
	return every <= 1 || (uint32(w.tick)+h)/every != (uint32(w.last)+h)/every
}

// waitForTurn has a change of a group wait for its tick.
func (w *State) waitForTurn(id ident.Group, gr *group) {
	pc := &w.rates.pace[id]
	if pc.waits {
		return
	}
	pc.waits, pc.first, pc.released = true, w.tick, w.tick-1 // zero, too, is a tick that comes
	if !gr.private {
		w.rates.waiting.Grow(w.public.Len())
		w.rates.waiting.Set(int(gr.handle))
	} else if !pc.listed {
		pc.listed = true
		w.rates.waitingPrivate = append(w.rates.waitingPrivate, id)
	}
}

// waitsForTurn reports whether a change of a group waits for its tick.
func (w *State) waitsForTurn(id ident.Group) bool {
	return int(id) < len(w.rates.pace) && w.rates.pace[id].waits
}

// endWait has a group wait no more: structure takes along what changed.
func (w *State) endWait(id ident.Group, gr *group) {
	if !w.waitsForTurn(id) {
		return
	}
	w.rates.pace[id].waits = false
	if !gr.private {
		w.rates.waiting.Clear(int(gr.handle))
	}
}

// releaseTurns makes the public groups due that waited for this tick, and the private ones at the
// peers at which they waited for it.
func (w *World) releaseTurns() {
	for i, word := range w.state.rates.waiting {
		for ; word != 0; word &= word - 1 {
			h := i<<6 + bits.TrailingZeros64(word)
			if id := w.state.public.Groups[h]; w.state.isTurn(uint32(h), uint32(w.state.groups[id].every)) {
				w.state.rates.pace[id].waits, w.state.rates.pace[id].released = false, w.state.tick
				w.state.rates.waiting.Clear(h)
				w.state.moved.Set(h)
			}
		}
	}
	kept := w.state.rates.waitingPrivate[:0]
	for _, id := range w.state.rates.waitingPrivate {
		if w.releasePrivate(id) {
			kept = append(kept, id)
		}
	}
	w.state.rates.waitingPrivate = kept
}

// releasePrivate makes a private group due at the peers at which it waited for this tick, and reports
// whether it still waits at others.
func (w *World) releasePrivate(id ident.Group) (waits bool) {
	gr, pc := &w.state.groups[id], &w.state.rates.pace[id]
	every := max(1, entangle.Tick(gr.every))
	if !pc.waits {
		pc.listed = false
		return false
	}
	for _, v := range gr.viewers {
		sp := &w.seats[v.Peer()].private
		if v.Shown() && w.state.isTurn(uint32(v.Handle()), uint32(every)) && (gr.changed == w.state.tick || !sp.predicted.Has(v.Handle())) {
			sp.stir(v.Handle(), w.state.tick)
		}
	}
	if waits = w.state.tick.Sub(gr.changed) < int32(every)-1; !waits {
		pc.waits, pc.listed = false, false
	}
	return waits
}

// awaitsTurn reports whether a change waits for the tick of its group, which the peer was not sent.
func (p *Peer) awaitsTurn() bool {
	w := p.world
	if !w.state.rates.waiting.Empty() {
		return true
	}
	for _, id := range w.state.rates.waitingPrivate {
		sp, i := p.stateOf(id)
		if w.state.rates.pace[id].waits && p.shows(id) && sp.base[i].Before(w.state.groups[id].changed) {
			return true
		}
	}
	return false
}

// usualBase is the tick that a peer has, as a rule, of a group which moves on in this
// one: that before the first change that it moves on with.
func (w *State) usualBase(id ident.Group) entangle.Tick {
	if int(id) < len(w.rates.pace) && w.rates.pace[id].released == w.tick {
		return w.rates.pace[id].first - 1
	}
	return w.tick - 1
}

// makeDue makes due what moves on in this tick. Of what the peer predicts, that is what
// changed in it.
func (p *Peer) makeDue(moved set.Bitset) {
	sp := &p.public
	sp.awaitAll(moved, p.state.tick)
	if len(p.predicted) == 0 || len(p.state.rates.of) == 0 {
		sp.due.Join(moved)
		return
	}
	for i, word := range moved {
		sp.due[i] |= word &^ sp.predicted[i]
	}
	for _, f := range p.predicted {
		sp, i := p.spaceOf(f.group)
		if id := p.group(sp, i); id != ident.NoGroup && p.state.groups[id].changed == p.state.tick {
			sp.await(i, p.state.tick)
			sp.due.Set(i)
		}
	}
}
