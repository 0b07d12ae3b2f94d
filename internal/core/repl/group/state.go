package group

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/core/repl/view"
	"github.com/entangle-ecs/entangle/internal/ring"
	"github.com/entangle-ecs/entangle/internal/set"
)

// State is the part of the replicated world that all peers share: entities, their groups, and the ticks at which they
// last changed.
type State struct {
	Comps        int           // number of component types
	Tick         entangle.Tick // of the last Begin
	previousTick entangle.Tick // of the Begin before it
	Stride       int           // number of ticks from one Begin to the next, as set by SetStride; 0 and 1 both mean 1

	IntervalComp    int    // the component with the interval of its entity's group as its value
	StatesIntervals bool   // there is one
	Ended           uint64 // number of entities that left a group, by a move or because they ended

	Slots        slots
	Groups       []Group
	Live         int               // number of open groups
	ViewerLists  ident.ViewerLists // memory of Group.Viewers
	Public       ident.Table       // public handles
	Views        view.Table
	Rates        rates
	named        map[Place]ident.Group // open groups with a name or a hierarchy
	Trails       map[repl.Slot]trail   // of entities that moved
	unusedTrails []trail               // memory for new trails
	denied       denied

	// Changes in this tick. Moved and Reshaped are indexed by public handle.
	Moved          set.Bitset    // public groups that changed, or with a change that waited for this tick
	Reshaped       set.Bitset    // public groups with changed structure
	ChangedPrivate []ident.Group // private groups that changed; may have duplicates

	freeEntries    []ident.Group         // free elements of Groups
	toFree         []ident.Group         // groups that FreeUnused is to free
	tidyQueue      ring.Queue[tidyEntry] // groups with leavers to scan, each once
	acks           Acks
	droppedLeavers []Leaver    // scratch of dropAckedLeavers
	takenNumbers   set.Bitset  // scratch of allocateNumber
	refused        []repl.Slot // reports for PollRefused
	Counts         Counts
}

// Counts counts entities and groups that exceeded a limit.
type Counts struct {
	GroupsRefused  uint64 // entities that were not replicated, because no handle was free
	MembersRefused uint64 // entities that got a group of one, because their group was full
	TooLarge       uint64 // records that were not sent, because they exceed repl.MaxGroupBytes
}

// NewState returns an empty world with a number of component types.
func NewState(comps int, acks Acks) *State {
	return &State{
		Comps: comps, Slots: newSlots(comps), acks: acks,
		named: map[Place]ident.Group{}, Trails: map[repl.Slot]trail{},
	}
}

// Begin starts a tick, which must be later than the last one, and forgets the changes of the last tick.
func (st *State) Begin(tick entangle.Tick) {
	st.previousTick, st.Tick = st.Tick, tick
	st.Moved.Reset()
	st.Reshaped.Reset()
	st.Slots.forgetInserts()
	st.ChangedPrivate = st.ChangedPrivate[:0]
}

// markChanged records that a group changed in this tick: its structure, or only values. Changed values of a group with
// an interval wait for its turn (turns.go).
func (st *State) markChanged(id ident.Group, structure bool) {
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
		st.ChangedPrivate = append(st.ChangedPrivate, id)
	}
	if !gr.Private {
		st.Moved.Set(int(gr.Handle))
	}
	gr.Changed = st.Tick
	if !structure {
		return
	}
	gr.Shaped = st.Tick
	gr.TooLarge = false
	if !gr.Private {
		st.Reshaped.Set(int(gr.Handle))
	}
}
