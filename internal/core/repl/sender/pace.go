package sender

import (
	"math/bits"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// A group with an interval goes in every so many ticks. A change of its values between
// them is held; structure is not, and takes along what is. For a peer that predicts the
// group nothing is held: it is told that it has all as of a tick.

// pace is how far a group has come between one of its ticks and the next.
type pace struct {
	held     bool          // it changed, and waits for its tick
	listed   bool          // it is in rates.holding
	first    entangle.Tick // the first change that it waits with, or waited
	released entangle.Tick // its last tick
}

// hold has a change of a group wait for its tick.
func (w *World) hold(id groupID, gr *group) {
	pc := &w.rates.pace[id]
	if pc.held {
		return
	}
	pc.held, pc.first = true, w.tick
	if !gr.private {
		w.rates.held.Grow(len(w.public))
		w.rates.held.Set(int(gr.handle))
	} else if !pc.listed {
		pc.listed = true
		w.rates.holding = append(w.rates.holding, id)
	}
}

// holds reports whether a change of a group waits for its tick.
func (w *World) holds(id groupID) bool { return int(id) < len(w.rates.pace) && w.rates.pace[id].held }

// unhold has a group wait no more: structure takes along what changed.
func (w *World) unhold(id groupID, gr *group) {
	if !w.holds(id) {
		return
	}
	w.rates.pace[id].held = false
	if !gr.private {
		w.rates.held.Clear(int(gr.handle))
	}
}

// releaseHeld has those move on that wait, and whose tick this is.
func (w *World) releaseHeld() {
	for i, word := range w.rates.held {
		for ; word != 0; word &= word - 1 {
			h := i<<6 + bits.TrailingZeros64(word)
			if w.releases(w.public[h]) {
				w.rates.held.Clear(h)
				w.moved.Set(h)
			}
		}
	}
	kept := w.rates.holding[:0]
	for _, id := range w.rates.holding {
		switch {
		case !w.holds(id):
			w.rates.pace[id].listed = false
		case w.releases(id):
			w.rates.pace[id].listed = false
			w.stirred = append(w.stirred, id)
		default:
			kept = append(kept, id)
		}
	}
	w.rates.holding = kept
}

// releases lets a group go that waits, if this is its tick. The ticks of neighbours lie
// apart, so that each tick has its share of them.
func (w *World) releases(id groupID) bool {
	if every := w.groups[id].every; every > 1 && (uint32(w.tick)+uint32(id))%uint32(every) != 0 {
		return false
	}
	pc := &w.rates.pace[id]
	pc.held, pc.released = false, w.tick
	return true
}

// holdsAny reports whether anything waits for its tick.
func (w *World) holdsAny() bool {
	if !w.rates.held.Empty() {
		return true
	}
	for _, id := range w.rates.holding {
		if w.rates.pace[id].held {
			return true
		}
	}
	return false
}

// usualBase is the tick that a peer has, as a rule, of a group which moves on in this
// one: that before the first change that it moves on with.
func (w *World) usualBase(id groupID) entangle.Tick {
	if int(id) < len(w.rates.pace) && w.rates.pace[id].released == w.tick {
		return w.rates.pace[id].first - 1
	}
	return w.tick - 1
}

// join makes due what moves on in this tick. Of what the peer predicts, that is what
// changed in it.
func (p *Peer) join(moved repl.Bitset) {
	sp := &p.public
	if len(p.predicted) == 0 || len(p.world.rates.of) == 0 {
		sp.due.Join(moved)
		return
	}
	for i, word := range moved {
		sp.due[i] |= word &^ sp.predicted[i]
	}
	for _, h := range p.predicted {
		sp, i := p.spaceOf(h)
		if id := p.group(sp, i); id != noGroup && p.world.groups[id].changed == p.world.tick {
			sp.due.Set(i)
		}
	}
}
