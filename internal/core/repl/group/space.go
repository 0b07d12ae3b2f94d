package group

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/core/repl/view"
	"github.com/entangle-ecs/entangle/internal/set"
)

// Phase is how far a group has come at a peer.
type Phase uint8

const (
	Absent  Phase = iota // never sent, or its end acknowledged
	Present              // its full was sent
	Ending               // its end was sent
)

// Space is what a peer was sent, and has acknowledged, of the groups of one space of handles. It is in columns by
// handle: a loop over all groups reads only the columns that it needs.
type Space struct {
	// The columns that every tick reads of every peer come first, together: with many peers, most of their memory
	// is in no cache.
	Due          set.Bitset // has values to send
	WaitingSince []uint32   // of a metered peer: when the due changes became due, in parts of ticks
	Cursor       int        // where the next tick's updates go on
	First        repl.Handle
	LastAction   entangle.Tick   // last tick of which structure of any group was sent
	Base         []entangle.Tick // newest tick that the peer has before anything later applies: the baseline
	IDs          *ident.Table    // its handles: of the world, or the own ones of the peer
	Steady       set.Bitset      // present, seen whole, not predicted, and no structure is due

	Predicted set.Bitset      // the peer predicts some of it, or may still do so
	Sent      []entangle.Tick // last tick of which anything was sent, except for whole runs; see AsOf
	Prev      []uint8         // how many ticks the previous baseline is before Base; nil if no component needs it
	Phase     []Phase
	Structure
	Visibility
}

// Structure is the columns about the structure of groups.
type Structure struct {
	StructureDue   set.Bitset      // has structure to send
	StructureAsOf  []entangle.Tick // last tick of which the peer has all structure that it may see
	StructureSent  []entangle.Tick // last tick of which structure was sent
	Seq            []repl.Seq      // of the last action
	Unacked        []uint8         // bit i: the action i before the last one is in flight
	ActionInFlight set.Bitset      // some action is in flight; see flight.Sent.Unproven
	Fragmented     set.Bitset      // its update is one message in fragments, which are in flight
	NeedsFull      set.Bitset      // is to be sent in full
	AwaitsResync   set.Bitset      // the peer asked for a resync: it may lack parts of what it was sent
	NextFull       int             // where the search for NeedsFull goes on
}

// Visibility is the columns about what a peer may see.
type Visibility struct {
	Views []view.ID // nil while the peer sees all of every group

	// Of private groups.
	Hidden     set.Bitset // to be ended at this peer alone
	WasSent    set.Bitset // the peer had the group, under this handle
	Referred   set.Bitset // the peer was sent references to entities born there
	Retained   set.Bitset // not shown any more, and kept by the peer as it was
	ShownAgain set.Bitset // shown again, and kept by the peer as it was until its full is sent
}

// Grow makes room for n handles. The new ones were never sent: the ticks of their structure are half the range of
// ticks ago, beyond which before and after are swapped.
func (sp *Space) Grow(n int, now entangle.Tick) {
	if sp.Phase == nil && sp.First == repl.Private {
		sp.reserveUsual()
	}
	if n <= len(sp.Phase) {
		return
	}
	sp.Phase = extend(sp.Phase, n, Absent)
	sp.Base, sp.Sent = extend(sp.Base, n, 0), extend(sp.Sent, n, 0)
	sp.StructureAsOf, sp.StructureSent = extend(sp.StructureAsOf, n, now-1<<30), extend(sp.StructureSent, n, now-1<<30)
	sp.Seq, sp.Unacked = extend(sp.Seq, n, 0), extend(sp.Unacked, n, 0)
	if sp.Views != nil {
		sp.ShowAll(n)
	}
	if sp.WaitingSince != nil {
		sp.growWaiting(n, now)
	}
	if sp.Prev != nil {
		sp.Prev = extend(sp.Prev, n, 0)
	}
	sp.growSets(n)
}

// extend makes a column n long, with the same value in all new places.
func extend[T any](column []T, n int, value T) []T {
	old := len(column)
	column = slices.Grow(column, n-old)[:n]
	for i := old; i < n; i++ {
		column[i] = value
	}
	return column
}

// reserveUsual makes room for a usual number of private handles. Where entities come and go, the number of
// handles in use rises by one now and then, and columns would be moved in many ticks.
func (sp *Space) reserveUsual() {
	const usual = usualWords * 64
	sp.Phase = make([]Phase, 0, usual)
	sp.Base, sp.Sent = make([]entangle.Tick, 0, usual), make([]entangle.Tick, 0, usual)
	sp.StructureAsOf, sp.StructureSent = make([]entangle.Tick, 0, usual), make([]entangle.Tick, 0, usual)
	sp.Seq, sp.Unacked = make([]repl.Seq, 0, usual), make([]uint8, 0, usual)
	sp.IDs.Reserve(usual)
}

// usualWords is the initial room for handles, in words of 64: enough for the entities near a player.
const usualWords = 16

func (sp *Space) growSets(n int) {
	if n <= len(sp.Due)*64 {
		return
	}
	sets := [...]*set.Bitset{
		&sp.Due, &sp.StructureDue, &sp.NeedsFull, &sp.AwaitsResync, &sp.ActionInFlight, &sp.Fragmented, &sp.Steady, &sp.Predicted,
		&sp.Hidden, &sp.WasSent, &sp.Referred, &sp.Retained, &sp.ShownAgain,
	}
	if cap(sp.Due) == 0 {
		all := make(set.Bitset, len(sets)*usualWords)
		for i, groups := range sets {
			*groups = all[i*usualWords : i*usualWords : (i+1)*usualWords]
		}
	}
	for _, groups := range sets {
		groups.Grow(n)
	}
}

// Group returns the group of a handle, or ident.NoGroup.
func (sp *Space) Group(i int) ident.Group { return sp.IDs.Groups[i] }

// Baseline returns the baselines of the next update of a group.
func (sp *Space) Baseline(i int) repl.From {
	if sp.Prev == nil {
		return repl.From{Base: sp.Base[i]}
	}
	return repl.From{Base: sp.Base[i], Prev: sp.Prev[i]}
}

// MoveBase moves a group's baseline to a tick. from is the baseline of the update that the peer has acknowledged,
// or the tick itself for an action, which has no baseline that the receiver could use.
func (sp *Space) MoveBase(i int, tick, from entangle.Tick) {
	sp.Base[i] = tick
	if sp.Prev == nil {
		return
	}
	if sp.Prev[i] = 0; from.Before(tick) && tick.Sub(from) <= repl.MaxPrev {
		sp.Prev[i] = uint8(tick - from)
	}
}

// ShowAll gives every handle below n without a view the one of all.
func (sp *Space) ShowAll(n int) {
	sp.Views = extend(sp.Views, n, 0)
}

// ViewOf returns what the peer sees of a group.
func (sp *Space) ViewOf(i int) view.ID {
	if sp.Views == nil {
		return 0
	}
	return sp.Views[i]
}

// Resend makes a group due whose last update was lost, or found no packet.
func (sp *Space) Resend(i int) {
	if sp.Retained.Has(i) || sp.ShownAgain.Has(i) {
		return
	}
	sp.Due.Set(i)
	if sp.ViewOf(i) != 0 {
		sp.Sent[i] = sp.Base[i]
	}
}

// ResetHandle returns a handle to the state of one that was never used.
func (sp *Space) ResetHandle(i int) {
	sp.Phase[i] = Absent
	sp.Due.Clear(i)
	sp.StructureDue.Clear(i)
	sp.NeedsFull.Clear(i)
	sp.AwaitsResync.Clear(i)
	sp.ActionInFlight.Clear(i)
	sp.Fragmented.Clear(i)
	sp.Steady.Clear(i)
	sp.Hidden.Clear(i)
	sp.WasSent.Clear(i)
	sp.Retained.Clear(i)
	sp.ShownAgain.Clear(i)
	sp.Referred.Clear(i)
}

// UpdateSteady works out whether values alone can be sent of a group.
func (sp *Space) UpdateSteady(i int) {
	if sp.Phase[i] == Present && sp.ViewOf(i) == 0 && !sp.Predicted.Has(i) && !sp.StructureDue.Has(i) && !sp.Fragmented.Has(i) && !sp.Retained.Has(i) {
		sp.Steady.Set(i)
	} else {
		sp.Steady.Clear(i)
	}
}

// IsIdle reports whether nothing waits to be sent.
func (sp *Space) IsIdle() bool {
	return sp.Due.Empty() && sp.StructureDue.Empty() && sp.NeedsFull.Empty()
}
