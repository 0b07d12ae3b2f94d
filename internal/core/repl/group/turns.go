package group

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
)

// pace is how far a group has come between one of its ticks and the next.
type pace struct {
	Waits    bool          // it changed, and waits for its tick, or that of some peer
	Listed   bool          // it is in Rates.WaitingPrivate
	first    entangle.Tick // of a public group: the first change that it waits with, or waited
	Released entangle.Tick // of a public group: its last tick
}

// IsTurn reports whether one of the ticks of a handle has come since the Begin before:
// not every tick is one that is sent.
func (w *State) IsTurn(h, every uint32) bool {
	return every <= 1 || (uint32(w.Tick)+h)/every != (uint32(w.last)+h)/every
}

// waitForTurn has a change of a group wait for its tick.
func (w *State) waitForTurn(id ident.Group, gr *Group) {
	pc := &w.Rates.Pace[id]
	if pc.Waits {
		return
	}
	pc.Waits, pc.first, pc.Released = true, w.Tick, w.Tick-1 // zero, too, is a tick that comes
	if !gr.Private {
		w.Rates.Waiting.Grow(w.Public.Len())
		w.Rates.Waiting.Set(int(gr.Handle))
	} else if !pc.Listed {
		pc.Listed = true
		w.Rates.WaitingPrivate = append(w.Rates.WaitingPrivate, id)
	}
}

// WaitsForTurn reports whether a change of a group waits for its tick.
func (w *State) WaitsForTurn(id ident.Group) bool {
	return int(id) < len(w.Rates.Pace) && w.Rates.Pace[id].Waits
}

// endWait has a group wait no more: structure takes along what changed.
func (w *State) endWait(id ident.Group, gr *Group) {
	if !w.WaitsForTurn(id) {
		return
	}
	w.Rates.Pace[id].Waits = false
	if !gr.Private {
		w.Rates.Waiting.Clear(int(gr.Handle))
	}
}

// UsualBase is the tick that a peer has, as a rule, of a group which moves on in this
// one: that before the first change that it moves on with.
func (w *State) UsualBase(id ident.Group) entangle.Tick {
	if int(id) < len(w.Rates.Pace) && w.Rates.Pace[id].Released == w.Tick {
		return w.Rates.Pace[id].first - 1
	}
	return w.Tick - 1
}
