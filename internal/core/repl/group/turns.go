package group

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
)

// A group with an interval n is sent every n ticks. These ticks are its turns, and depend on its handle. A change of
// values waits for the next turn. Package schedule releases the changes that waited (schedule/pace.go).

// pace is the state of a group with an interval between two of its turns.
type pace struct {
	Waits    bool          // a change waits for the group's turn, or of a private group for its turn at some peer
	Listed   bool          // the group is in Rates.WaitingPrivate
	first    entangle.Tick // of a public group: the first change that waits, or that waited for the last turn
	Released entangle.Tick // of a public group: its last turn
}

// IsTurn reports whether a handle had a turn after the previous Begin and up to this one. Ticks in between are not sent,
// so a turn in one of them counts now.
func (st *State) IsTurn(h, every uint32) bool {
	return every <= 1 || (uint32(st.Tick)+h)/every != (uint32(st.Rates.previousTick)+h)/every
}

// waitForTurn makes a group's change wait for the group's turn.
func (st *State) waitForTurn(id ident.GroupIndex, gr *Group) {
	pc := &st.Rates.Pace[id]
	if pc.Waits {
		return
	}
	pc.Waits, pc.first, pc.Released = true, st.Tick, st.Tick-1 // not 0, which may be the tick of a later Begin
	if !gr.Private {
		st.Rates.Waiting.Grow(st.Public.Len())
		st.Rates.Waiting.Set(int(gr.Handle))
	} else if !pc.Listed {
		pc.Listed = true
		st.Rates.WaitingPrivate = append(st.Rates.WaitingPrivate, id)
	}
}

// WaitsForTurn reports whether a change of a group waits for the group's turn.
func (st *State) WaitsForTurn(id ident.GroupIndex) bool {
	return int(id) < len(st.Rates.Pace) && st.Rates.Pace[id].Waits
}

// cancelWait ends a group's wait before its turn, because its structure changed: the action carries the values too.
func (st *State) cancelWait(id ident.GroupIndex, gr *Group) {
	if !st.WaitsForTurn(id) {
		return
	}
	st.Rates.Pace[id].Waits = false
	if !gr.Private {
		st.Rates.Waiting.Clear(int(gr.Handle))
	}
}

// UsualBase returns the most likely baseline of the peers for a group that is due in this tick: the tick before the
// first change that is due. A peer that received the last update and no later change has the same data as of that tick.
func (st *State) UsualBase(id ident.GroupIndex) entangle.Tick {
	if int(id) < len(st.Rates.Pace) && st.Rates.Pace[id].Released == st.Tick {
		return st.Rates.Pace[id].first - 1
	}
	return st.Tick - 1
}
