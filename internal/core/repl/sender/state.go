package sender

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
	comps  int
	tick   entangle.Tick
	last   entangle.Tick // of the tick before
	stride int           // from one tick to the next
	ended  uint64        // how often an entity left its group, or ended

	slots  slots
	groups []group
	live   int           // groups
	lists  ident.Viewers // of private groups
	public ident.Table   // of public handles
	views  view.Table
	rates  rates
	named  map[Place]ident.Group // groups that the caller named
	trails map[repl.Slot]trail   // where entities were before, until all peers know
	worn   []trail               // those that nobody left

	// Of the present tick: by public handle, and of private groups.
	moved    set.Bitset
	reshaped set.Bitset
	stirred  []ident.Group

	idle    []ident.Group       // entries of groups that are free
	unused  []ident.Group       // to be freed
	tidying ring.Queue[tidying] // groups that entities have left, since when: each once
	acks    Acks
	struck  []leaver   // of the group whose leavers are forgotten
	taken   set.Bitset // numbers of the group in which one is looked for
	refused []repl.Slot
	counts  Counts
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
		comps: comps, slots: newSlots(comps), acks: acks,
		named: map[Place]ident.Group{}, trails: map[repl.Slot]trail{},
	}
}

// Begin opens a tick, later than the last one.
func (w *State) Begin(tick entangle.Tick) {
	w.last, w.tick = w.tick, tick
	w.moved.Reset()
	w.reshaped.Reset()
	w.slots.forgetInserts()
	w.stirred = w.stirred[:0]
}

// touch notes that something of a group changed in this tick.
func (w *State) touch(id ident.Group, shaped bool) {
	gr := &w.groups[id]
	switch {
	case shaped && !gr.private:
		w.endWait(id, gr)
	case gr.every > 1 && !shaped && (gr.private || gr.shaped != w.tick):
		w.waitForTurn(id, gr)
		gr.changed = w.tick
		return
	}
	if gr.private && (gr.changed != w.tick || shaped && gr.shaped != w.tick) {
		w.stirred = append(w.stirred, id)
	}
	if !gr.private {
		w.moved.Set(int(gr.handle))
	}
	gr.changed = w.tick
	if !shaped {
		return
	}
	gr.shaped = w.tick
	gr.tooLarge = false
	if !gr.private {
		w.reshaped.Set(int(gr.handle))
	}
}
