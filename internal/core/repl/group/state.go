package group

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/core/repl/view"
	"github.com/entangle-ecs/entangle/internal/ring"
	"github.com/entangle-ecs/entangle/internal/set"
)

// State is the replicated world, as all peers share it: entities, and the groups that they are in, with the
// ticks at which they last changed.
type State struct {
	Comps  int
	Tick   entangle.Tick
	last   entangle.Tick // of the tick before
	Stride int           // from one tick to the next
	Ended  uint64        // how often an entity left its group, or ended

	Slots        slots
	Groups       []Group
	Live         int               // groups
	Lists        ident.ViewerLists // of private groups
	Public       ident.Table       // of public handles
	Views        view.Table
	Rates        rates
	named        map[Place]ident.Group // groups that the caller named
	Trails       map[repl.Slot]trail   // where entities were before, until all peers know
	unusedTrails []trail               // those that nobody left

	// Of the present tick: by public handle, and of private groups.
	Moved          set.Bitset
	Reshaped       set.Bitset
	ChangedPrivate []ident.Group

	idle      []ident.Group       // entries of groups that are free
	unused    []ident.Group       // to be freed
	tidying   ring.Queue[tidying] // groups that entities have left, since when: each once
	acks      Acks
	forgotten []Leaver   // of the group whose leavers are forgotten
	taken     set.Bitset // numbers of the group in which one is looked for
	refused   []repl.Slot
	Counts    Counts
}

// Counts counts the entities and groups that could not be sent as they should.
type Counts struct {
	GroupsRefused  uint64 // entities not replicated: no handle was left
	MembersRefused uint64 // entities that got a group of their own: theirs was full
	TooLarge       uint64 // records over repl.MaxGroupBytes, not sent
}

// NewState returns an empty world of the given number of component types.
func NewState(comps int, acks Acks) *State {
	return &State{
		Comps: comps, Slots: newSlots(comps), acks: acks,
		named: map[Place]ident.Group{}, Trails: map[repl.Slot]trail{},
	}
}

// Begin opens a tick, later than the last one.
func (w *State) Begin(tick entangle.Tick) {
	w.last, w.Tick = w.Tick, tick
	w.Moved.Reset()
	w.Reshaped.Reset()
	w.Slots.forgetInserts()
	w.ChangedPrivate = w.ChangedPrivate[:0]
}

// noteChange notes that something of a group changed in this tick.
func (w *State) noteChange(id ident.Group, shaped bool) {
	gr := &w.Groups[id]
	switch {
	case shaped && !gr.Private:
		w.endWait(id, gr)
	case gr.Every > 1 && !shaped && (gr.Private || gr.Shaped != w.Tick):
		w.waitForTurn(id, gr)
		gr.Changed = w.Tick
		return
	}
	if gr.Private && (gr.Changed != w.Tick || shaped && gr.Shaped != w.Tick) {
		w.ChangedPrivate = append(w.ChangedPrivate, id)
	}
	if !gr.Private {
		w.Moved.Set(int(gr.Handle))
	}
	gr.Changed = w.Tick
	if !shaped {
		return
	}
	gr.Shaped = w.Tick
	gr.TooLarge = false
	if !gr.Private {
		w.Reshaped.Set(int(gr.Handle))
	}
}
