package sender

import (
	"fmt"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/core/repl/view"
	"github.com/entangle-ecs/entangle/internal/ring"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// Source is the world that is replicated, as a sender reads it.
type Source interface {
	// Encode writes the present value of a component of a slot. For a paused slot it writes the
	// last value before the pause. Entities in the value are written as indexes into refs.
	Encode(w *bits.Writer, slot repl.Slot, comp int, refs *repl.RefTable)
}

// Differ is a Source with components that are updated by differences from the value at the baseline.
type Differ interface {
	Source
	// Deltas returns the components that are sent as differences, and those of them that also use
	// the previous baseline.
	Deltas() (all, moving set.Mask)
	// BeginRecord begins a record: all values encoded until the next call belong to it.
	BeginRecord()
	// EncodeFrom writes the difference of a component of a slot between a baseline and tick, the
	// present one. The baseline is less than repl.HistoryTicks before tick. It returns the
	// baselines, from lo on and before hi, for which it would write the same bits in updates with a
	// previous baseline as far back.
	EncodeFrom(w *bits.Writer, slot repl.Slot, comp int, tick entangle.Tick, from repl.From, refs *repl.RefTable) (lo, hi entangle.Tick)
}

// World is the replicated state and the ticks at which it last changed. All peers of one sender
// share it.
type World struct {
	src    Source
	differ Differ   // the source, if it has deltas
	deltas set.Mask // the components that are sent as differences
	moves  bool     // the base before the base counts for some of them
	comps  int
	sets   repl.Sets
	tick   entangle.Tick
	last   entangle.Tick // of the Begin before
	stride int           // from one Begin to the next
	ended  uint64        // how often an entity left its group, or ended

	slots   slots
	groups  []group
	lists   ident.Viewers         // of private groups
	public  ident.Table           // of public handles
	named   map[Place]ident.Group // groups that the caller named
	trails  map[repl.Slot]trail   // where entities were before, until all peers know
	worn    []trail               // those that nobody left
	taken   set.Bitset            // numbers of the group at hand
	idle    []ident.Group         // entries of groups that are free
	unused  []ident.Group         // to be freed
	tidying ring.Queue[tidying]   // groups that entities have left, since when: each once
	acks    Acks
	counts  Counts
	struck  []leaver // of the group whose leavers are forgotten
	live    int
	refused []repl.Slot

	// Of the tick under way: by public handle, and of private groups.
	moved    set.Bitset
	reshaped set.Bitset
	stirred  []ident.Group

	held bool // between ticks: the source's values may be newer than the tick

	peers       []*Peer
	seats       []*Peer // by number; nil: free
	views       view.Table
	predictions predictions
	rates       rates
	bodies      bodies
	spawns      spawnBatches
	chunks      chunks
	runs        runs
	stats       Stats

	sorted          []leaver // of the body at hand
	unshared, unrun bool     // plain twins, for tests
}

// NewWorld returns an empty world of the given number of component types.
func NewWorld(src Source, comps int) *World {
	if comps > set.MaskSize {
		panic(fmt.Sprintf("sender: %d component types, at most %d can be told apart", comps, set.MaskSize))
	}
	w := &World{
		src: src, comps: comps, sets: repl.NewSets(comps), slots: newSlots(comps),
		named: map[Place]ident.Group{}, trails: map[repl.Slot]trail{},
	}
	w.acks = &acks{world: w}
	if differ, ok := src.(Differ); ok {
		var moving set.Mask
		if w.deltas, moving = differ.Deltas(); !w.deltas.IsZero() {
			w.differ, w.moves = differ, !moving.IsZero()
		}
	}
	return w
}

// Unshare makes the world encode every body separately for each peer. The peers are sent the same
// bits: tests compare this plain implementation with the shared one.
func (w *World) Unshare() { w.unshared = true }

// Unrun makes the world write runs separately for each peer, record by record, from shared bodies.
// Tests compare this plain implementation with copied runs.
func (w *World) Unrun() { w.unrun = true }

// Len returns the number of groups that are replicated.
func (w *World) Len() int { return w.live }

// Peers returns the number of peers.
func (w *World) Peers() int { return len(w.peers) }

// Tick returns the tick of the last Begin.
func (w *World) Tick() entangle.Tick { return w.tick }

// Begin opens a tick, later than the last one.
func (w *World) Begin(tick entangle.Tick) {
	w.last, w.tick, w.held = w.tick, tick, false
	w.moved.Reset()
	w.reshaped.Reset()
	w.slots.forgetInserts()
	w.stirred = w.stirred[:0]
	w.bodies.reset()
	w.spawns.reset()
	w.chunks.reset(tick)
	w.runs.retireRuns(w.packetUnderWay())
	for _, p := range w.peers {
		p.freeRetired()
	}
	w.tidyInTurn()
	w.reclaim(w.freeHandles)
}

// Hold stops all sending until the next Begin. A frame that sends no tick calls it: the source would
// encode values that are newer than the tick of the last Begin.
func (w *World) Hold() { w.held = true }

// Held reports whether sending stopped.
func (w *World) Held() bool { return w.held }

// Counts counts the entities and groups that could not be sent as they should.
type Counts struct {
	GroupsRefused  uint64 // entities not replicated: no handle was left
	MembersRefused uint64 // entities that got a group of their own: theirs was full
	TooLarge       uint64 // records over repl.MaxGroupBytes, not sent
}

// Commit closes the tick: what changed in it becomes due for every peer that sees
// it.
func (w *World) Commit() {
	w.bodies.grow(len(w.groups))
	w.chunks.grow(len(w.groups))
	w.releaseTurns()
	for _, p := range w.peers {
		if p.metered {
			p.unplan()
		}
		p.makeDue(w.moved)
		p.public.shapeDue.Join(w.reshaped)
		p.public.steady.Drop(w.reshaped)
	}
	for _, id := range w.stirred {
		w.alert(&w.groups[id])
	}
}

// alert makes due what changed in a private group.
func (w *World) alert(gr *group) {
	if gr.shaped == w.tick {
		w.restructure(gr)
		return
	}
	for _, v := range gr.viewers {
		if v.Shown() {
			w.seats[v.Peer()].private.stir(v.Handle(), w.tick)
		}
	}
}

// restructure makes a group's structure due for the peers that see it or retain it.
func (w *World) restructure(gr *group) {
	for _, v := range gr.viewers {
		if sp := &w.seats[v.Peer()].private; v.Shown() || sp.retained.Has(v.Handle()) {
			sp.shapeDue.Set(v.Handle())
			sp.steady.Clear(v.Handle())
		}
	}
}

// stir makes the values of a group due.
func (sp *space) stir(i int, now entangle.Tick) {
	sp.await(i, now)
	sp.due.Set(i)
}

// touch notes that something of a group changed in this tick.
func (w *World) touch(id ident.Group, shaped bool) {
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
