package group

import (
	"math/bits"
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/core/repl/view"
	"github.com/entangle-ecs/entangle/internal/set"
)

// Space is what a peer was sent and has acknowledged of the groups of one space of handles. It consists of columns
// that are indexed by handle (minus First), so a loop over all groups reads only the columns that it needs. The comment of
// package sender lists the states of a group, the columns that change in each, and the functions that change them.
type Space struct {
	// The columns that each tick reads for every peer come first, next to each other: with many peers, most of their
	// memory is not in the processor's cache.
	Due          set.Bitset // has changed values to send
	WaitingSince []uint32   // when the group became due, in parts of ticks (wait.go); nil if waiting times are not kept
	Cursor       int        // index at which the next tick continues to send updates
	First        repl.Handle
	Base         []entangle.Tick // baseline: the peer has the group as of this tick, or will before it applies anything later
	IDs          *ident.Table    // the world's public handles, or the peer's private ones
	Present      set.Bitset      // its full was sent, and its end was not
	Predicted    set.Bitset      // the peer predicts a member, or may still do so
	Partial      set.Bitset      // copy of ViewOf != 0 as a set: its newest view hides something

	// Planned is the newest tick for which an update was planned, written or not (of whole runs: written), or an action was
	// sent.
	Planned []entangle.Tick
	Prev    []uint8 // number of ticks from the previous baseline to Base; nil if no component needs it
	Structure
	Visibility
}

// Structure is the columns about structure: which entities and components exist.
type Structure struct {
	StructureDue   set.Bitset      // has structure to send
	StructureAsOf  []entangle.Tick // newest tick as of which the peer was sent all structure that it may see
	ActionSent     []entangle.Tick // newest tick at which an action was sent
	Seq            []uint8         // number of the newest action, modulo 256
	Unacked        []uint8         // bit i is set while the action i before the newest one is in flight
	Ending         set.Bitset      // its end was sent, and is not acknowledged
	ActionInFlight set.Bitset      // copy of Unacked != 0 as a set; see flight.Sent.Unproven
	Fragmented     set.Bitset      // its values are too large for a packet and are sent as an action; see SendAsAction
	NeedsFull      set.Bitset      // has to be sent in full
	Joining        set.Bitset      // existed for the peer when it joined, and it has not received the group yet
}

// Visibility is the columns about what a peer may see.
type Visibility struct {
	Views []view.ID // the newest view of each group; nil while the peer sees all of every group

	// For private groups only:
	Hidden       set.Bitset      // no longer shown: its end is to be sent to this peer
	WasSent      set.Bitset      // the peer was sent a group under this handle
	Referred     set.Bitset      // the peer was sent a reference to an entity that has the group as its home
	Retained     set.Bitset      // no longer shown, and the peer keeps it as it was last sent
	WasRetained  set.Bitset      // retained, or was so until it was shown again, and its full is not sent yet
	retainedAsOf []entangle.Tick // MembersAsOf of such a group
}

// Grow extends the columns to n handles. A new handle gets structure ticks 1<<30 ticks ago, which is before any other
// tick: much further back, the comparison of ticks wraps around.
func (sp *Space) Grow(n int, now entangle.Tick) {
	if sp.Base == nil {
		sp.reserve(n)
	}
	if n <= sp.Len() {
		return
	}
	sp.Base, sp.Planned = extend(sp.Base, n, 0), extend(sp.Planned, n, 0)
	sp.StructureAsOf, sp.ActionSent = extend(sp.StructureAsOf, n, now-1<<30), extend(sp.ActionSent, n, now-1<<30)
	sp.Seq, sp.Unacked = extend(sp.Seq, n, 0), extend(sp.Unacked, n, 0)
	if sp.Views != nil {
		sp.GrowViews(n)
	}
	if sp.WaitingSince != nil {
		sp.WaitingSince = extend(sp.WaitingSince, n, DueSince(now))
	}
	if sp.Prev != nil {
		sp.Prev = extend(sp.Prev, n, 0)
	}
	sp.growSets(n)
}

// extend makes a column n long, with a value for all new handles.
func extend[T any](column []T, n int, value T) []T {
	old := len(column)
	column = slices.Grow(column, n-old)[:n]
	Fill(column[old:], value)
	return column
}

// reserve allocates memory for n handles: for more private ones at first, because where entities come and go, their number
// rises by one now and then, and each of these times columns would be reallocated. Columns of a type share one allocation.
func (sp *Space) reserve(n int) {
	if sp.First == repl.Private {
		n = max(n, initialWords*64)
		sp.IDs.Reserve(n)
	}
	ticks := make([]entangle.Tick, 4*n)
	sp.Base, sp.Planned, sp.StructureAsOf, sp.ActionSent = ticks[:0:n], ticks[n:n:2*n], ticks[2*n:2*n:3*n], ticks[3*n:3*n]
	sp.Seq, sp.Unacked = make([]uint8, 0, n), make([]uint8, 0, n)
}

// Emptied returns a space without handles that uses the memory of this one, which must not be used afterwards.
func (sp *Space) Emptied() (empty Space) {
	empty.Base, empty.Planned = sp.Base[:0], sp.Planned[:0]
	empty.StructureAsOf, empty.ActionSent = sp.StructureAsOf[:0], sp.ActionSent[:0]
	empty.Seq, empty.Unacked = sp.Seq[:0], sp.Unacked[:0]
	from := sp.sets()
	for i, groups := range empty.sets() {
		*groups = (*from[i])[:0]
	}
	return empty
}

// initialWords is the initial capacity of the columns, in words of 64 handles: enough for the entities near a player.
const initialWords = 16

// growSets extends the bitsets to n handles. At first they share one allocation.
func (sp *Space) growSets(n int) {
	if n <= len(sp.Due)*64 {
		return
	}
	sets := sp.sets()
	if cap(sp.Due) == 0 {
		words := max(initialWords, (n+63)/64)
		all := make(set.Bitset, len(sets)*words)
		for i, groups := range sets {
			*groups = all[i*words : i*words : (i+1)*words]
		}
	}
	for _, groups := range sets {
		groups.Grow(n)
	}
}

// Group returns the index of the group that has a handle, or ident.NoGroup.
func (sp *Space) Group(i int) ident.GroupIndex { return sp.IDs.Groups[i] }

// Baseline returns the baseline of a group's next update, and the previous baseline if there is one.
func (sp *Space) Baseline(i int) repl.From {
	if sp.Prev == nil {
		return repl.From{Base: sp.Base[i]}
	}
	return repl.From{Base: sp.Base[i], Prev: sp.Prev[i]}
}

// MoveBase moves a group's baseline to the tick of an acknowledged update. from is the baseline of that update, which
// becomes the previous baseline. MarkActionsSent does so for actions.
func (sp *Space) MoveBase(i int, tick, from entangle.Tick) {
	sp.Base[i] = tick
	if sp.Prev == nil {
		return
	}
	if sp.Prev[i] = 0; from.Before(tick) && tick.Sub(from) <= repl.MaxPrev {
		sp.Prev[i] = uint8(tick - from)
	}
}

// GrowViews extends Views to n handles. New handles get the view that hides nothing.
func (sp *Space) GrowViews(n int) {
	sp.Views = extend(sp.Views, n, 0)
}

// ViewOf returns the newest view of a group.
func (sp *Space) ViewOf(i int) view.ID {
	if sp.Views == nil {
		return 0
	}
	return sp.Views[i]
}

// Requeue makes a group due again, because its last update was lost or was planned and not written. It sends nothing. For
// a group with a view it resets Planned to the baseline: all changes since the baseline count as unsent again
// (schedule.Planner.hasUnsentValues).
func (sp *Space) Requeue(i int) {
	if sp.Retained.Has(i) {
		return
	}
	sp.Due.Set(i)
	if sp.ViewOf(i) != 0 {
		sp.Planned[i] = sp.Base[i]
	}
}

// sets returns the columns that are bitsets.
func (sp *Space) sets() [15]*set.Bitset {
	return [...]*set.Bitset{
		&sp.Due, &sp.StructureDue, &sp.NeedsFull, &sp.ActionInFlight, &sp.Fragmented, &sp.Predicted,
		&sp.Hidden, &sp.WasSent, &sp.Referred, &sp.Retained, &sp.WasRetained, &sp.Present, &sp.Ending, &sp.Partial, &sp.Joining,
	}
}

// ResetHandle clears the state of a freed handle for its next group.
func (sp *Space) ResetHandle(i int) {
	for _, groups := range sp.sets() {
		groups.Clear(i)
	}
}

// Len returns the number of handles.
func (sp *Space) Len() int { return len(sp.Base) }

// IsAbsent reports whether the peer was not sent a group, or has acknowledged its end.
func (sp *Space) IsAbsent(i int) bool { return !sp.Present.Has(i) && !sp.Ending.Has(i) }

// SteadyWord returns word i of the set of steady groups. A steady group is present, the peer sees all of it and predicts
// nothing of it, and an update of it can be sent without further checks whenever it is due.
func (sp *Space) SteadyWord(i int) uint64 {
	return sp.Present[i] &^ (sp.Partial[i] | sp.Predicted[i] | sp.StructureDue[i] | sp.Fragmented[i] | sp.Retained[i])
}

// IsSteady reports whether a group is steady.
func (sp *Space) IsSteady(i int) bool { return sp.SteadyWord(i>>6)>>(i&63)&1 != 0 }

// CountSteady returns how many of n consecutive groups are steady, up to the first that is not.
func (sp *Space) CountSteady(first, n int) int {
	i, end := first, min(first+n, sp.Len())
	for i < end {
		if others := ^sp.SteadyWord(i>>6) >> (i & 63); others != 0 {
			i += bits.TrailingZeros64(others)
			break
		}
		i = (i | 63) + 1
	}
	return max(min(i, end)-first, 0)
}

// IsIdle reports whether nothing is due.
func (sp *Space) IsIdle() bool {
	return sp.Due.Empty() && sp.StructureDue.Empty() && sp.NeedsFull.Empty()
}
