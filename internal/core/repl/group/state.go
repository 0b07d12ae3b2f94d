package group

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/core/repl/view"
	"github.com/entangle-ecs/entangle/internal/set"
)

// State is the part of the replicated world that all peers share: entities, their groups, and the ticks at which they
// last changed.
type State struct {
	Comps int           // number of component types
	Tick  entangle.Tick // of the last Begin
	Ended uint64        // number of entities that left a group, by a move or because they ended
	Peers []*Peer
	// OldestInFlight is the tick of the oldest packet or message in flight to any peer as of the last Begin, or the tick of
	// Begin if none was in flight. The caller sets it.
	OldestInFlight entangle.Tick

	Slots       slots
	Groups      []Group
	Open        openGroups
	ViewerLists ident.ViewerLists // memory of Group.Viewers
	Public      ident.Table       // public handles
	Views       view.Table
	Rates       rates
	named       map[Place]ident.GroupIndex // open groups with a name or a hierarchy
	Trails      trails                     // of entities that moved
	denied      denied

	Changed changed

	free    freeGroups
	tidy    tidying
	refused []repl.Slot // reports for PollRefused
	Counts  Counts
}

// freeGroups are the elements of State.Groups without an open group.
type freeGroups struct {
	entries []ident.GroupIndex // may be used again
	closed  []ident.GroupIndex // FreeUnused is to free them
}

// openGroups are the groups with members.
type openGroups struct {
	Count  int        // private groups too
	Public set.Bitset // by handle
}

// changed is the groups that changed in this tick. The sets are indexed by public handle.
type changed struct {
	Public   set.Bitset         // public groups that changed, or with a change that waited for this tick
	Reshaped set.Bitset         // public groups with changed structure
	Private  []ident.GroupIndex // private groups that changed; may have duplicates
}

// Counts counts entities and groups that exceeded a limit.
type Counts struct {
	GroupsRefused  uint64 // entities that were not replicated, because no handle was free
	MembersRefused uint64 // entities that got a group of one, because their group was full
	TooLarge       uint64 // records that were not sent, because they exceed repl.MaxGroupBytes
}

// NewState returns an empty world with a number of component types.
func NewState(comps int) *State {
	return &State{
		Comps: comps, Slots: newSlots(comps),
		named: map[Place]ident.GroupIndex{}, Trails: trails{Of: map[repl.Slot][]ident.GroupIndex{}},
	}
}

// Begin starts a tick, which must be later than the last one, and forgets the changes of the last tick.
func (st *State) Begin(tick entangle.Tick) {
	st.Rates.previousTick, st.Tick = st.Tick, tick
	st.Changed.Public.Reset()
	st.Changed.Reshaped.Reset()
	st.Slots.forgetInserts()
	st.Changed.Private = st.Changed.Private[:0]
}

// markChanged records that a group changed in this tick: its structure, or only values. Changed values of a group with
// an interval wait for its turn (turns.go).
func (st *State) markChanged(id ident.GroupIndex, structure bool) {
	gr := &st.Groups[id]
	switch {
	case structure && !gr.Private:
		st.cancelWait(id, gr)
	case gr.Every > 1 && !structure && (gr.Private || gr.Shaped != st.Tick):
		st.waitForTurn(id, gr)
		gr.Changed = st.Tick
		return
	}
	if gr.Private && (gr.Changed != st.Tick || structure && gr.Shaped != st.Tick) {
		st.Changed.Private = append(st.Changed.Private, id)
	}
	if !gr.Private {
		st.Changed.Public.Set(int(gr.Handle))
	}
	gr.Changed = st.Tick
	if !structure {
		return
	}
	gr.Shaped = st.Tick
	gr.TooLarge = false
	if !gr.Private {
		st.Changed.Reshaped.Set(int(gr.Handle))
	}
}
