package sender

import (
	"fmt"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// Source is the world that is sent, as a sender sees it.
type Source interface {
	// Encode writes the present value of a component of a slot. Entities in it
	// are written as indexes into refs.
	Encode(w *bits.Writer, slot repl.Slot, comp int, refs *repl.RefTable)
}

// World is what is replicated and when it last changed. It is shared by all
// peers of one sender.
type World struct {
	src   Source
	comps int
	sets  repl.Sets
	tick  entangle.Tick

	slots   slots
	changed ticks // value, or presence, of a component of a slot
	shaped  ticks // presence alone

	groups  []group
	free    freeList
	live    int
	refused []repl.Slot

	// Of the tick under way, by group.
	moved    repl.Bitset
	reshaped repl.Bitset

	held bool // between ticks: the source's values may be newer than the tick

	peers  []*Peer
	bodies bodies
	stats  Stats
}

// slots is what is known of each replicated entity.
type slots struct {
	id   []repl.ID
	mask []repl.Mask // of a slot that is not in use: empty
	used repl.Bitset
}

// ticks holds a tick for each component and slot: one column per component.
type ticks [][]entangle.Tick

// NewWorld returns an empty world of the given number of component types.
func NewWorld(src Source, comps int) *World {
	if comps > repl.MaxComponents {
		panic(fmt.Sprintf("sender: %d component types, at most %d can be told apart", comps, repl.MaxComponents))
	}
	return &World{
		src: src, comps: comps, sets: repl.NewSets(comps),
		changed: make(ticks, comps), shaped: make(ticks, comps),
	}
}

// Len returns the number of groups that are replicated.
func (w *World) Len() int { return w.live }

// Tick returns the tick of the last Begin.
func (w *World) Tick() entangle.Tick { return w.tick }

// ID returns the wire id of a slot.
func (w *World) ID(s repl.Slot) (id repl.ID, ok bool) {
	if !w.slots.used.Has(int(s)) {
		return repl.ID{}, false
	}
	return w.slots.id[s], true
}

// Slot returns the slot of a wire id.
func (w *World) Slot(id repl.ID) (s repl.Slot, ok bool) {
	if int(id.Group) >= len(w.groups) {
		return repl.NoSlot, false
	}
	for _, m := range w.groups[id.Group].members {
		if m.number == id.Member {
			return m.slot, true
		}
	}
	return repl.NoSlot, false
}

// Begin opens a tick, later than the last one.
func (w *World) Begin(tick entangle.Tick) {
	w.tick, w.held = tick, false
	w.moved.Reset()
	w.reshaped.Reset()
	w.bodies.reset()
}

// Hold stops all sending until the next Begin. A frame without a tick calls it:
// what the source would encode then is not the state of any tick.
func (w *World) Hold() { w.held = true }

// Held reports whether sending stopped.
func (w *World) Held() bool { return w.held }

// Spawn takes in an entity with the given components, as a group of its own.
// When no handle is left it is counted, and not replicated.
func (w *World) Spawn(s repl.Slot, mask repl.Mask) {
	g, ok := w.openGroup()
	if !ok {
		w.stats.GroupsRefused++
		return
	}
	w.growSlots(int(s) + 1)
	w.slots.id[s] = repl.ID{Group: g}
	w.slots.mask[s] = mask
	w.slots.used.Set(int(s))
	w.groups[g].members = append(w.groups[g].members, member{slot: s})
	for c := range w.comps { // also what it lacks: the slot may have had another entity
		w.changed[c][s], w.shaped[c][s] = w.tick, w.tick
	}
	w.reshaped.Set(int(g))
}

// Despawn lets an entity go. Slots that were never taken in are ignored.
func (w *World) Despawn(s repl.Slot) {
	if !w.slots.used.Has(int(s)) {
		return
	}
	w.closeGroup(w.slots.id[s].Group)
	w.slots.used.Clear(int(s))
	w.slots.mask[s] = repl.Mask{}
}

// Abandon lets an entity go of which the peers are to hear nothing any more: they
// keep it as it was last sent. Its handle stays taken while a peer holds it.
func (w *World) Abandon(s repl.Slot) {
	if !w.slots.used.Has(int(s)) {
		return
	}
	w.groups[w.slots.id[s].Group].abandoned = true
	w.Despawn(s)
}

// Pause stops an entity from being sent: its values can't be read, and the peers
// keep it as it was last sent.
func (w *World) Pause(s repl.Slot) { w.setPaused(s, true) }

// Resume sends an entity again, and with it all that changed meanwhile.
func (w *World) Resume(s repl.Slot) {
	w.setPaused(s, false)
	if w.slots.used.Has(int(s)) {
		w.moved.Set(int(w.slots.id[s].Group))
	}
}

func (w *World) setPaused(s repl.Slot, paused bool) {
	if w.slots.used.Has(int(s)) {
		w.groups[w.slots.id[s].Group].paused = paused
	}
}

// Reshape says that components of an entity appeared and vanished. One that did
// both and is there now counts as inserted.
func (w *World) Reshape(s repl.Slot, inserted, removed repl.Mask) {
	if !w.slots.used.Has(int(s)) {
		return
	}
	w.slots.mask[s] = w.slots.mask[s].Without(removed).Union(inserted)
	for c := inserted.Next(0); c >= 0; c = inserted.Next(c + 1) {
		w.changed[c][s], w.shaped[c][s] = w.tick, w.tick
	}
	for c := removed.Next(0); c >= 0; c = removed.Next(c + 1) {
		w.shaped[c][s] = w.tick
	}
	w.touch(s, &w.reshaped)
	w.groups[w.slots.id[s].Group].tooLarge = false
}

// Change says that a component's value changed in all these slots.
func (w *World) Change(comp int, slots []repl.Slot) {
	column := w.changed[comp]
	for _, s := range slots {
		if w.slots.used.Has(int(s)) {
			column[s] = w.tick
			w.touch(s, &w.moved)
		}
	}
}

func (w *World) touch(s repl.Slot, set *repl.Bitset) {
	g := w.slots.id[s].Group
	set.Set(int(g))
	w.groups[g].changed = w.tick
}

// Commit closes the tick: what changed in it becomes due for every peer.
func (w *World) Commit() {
	for _, p := range w.peers {
		p.due.Join(w.moved)
		p.shapeDue.Join(w.reshaped)
	}
}

func (w *World) growSlots(n int) {
	for len(w.slots.id) < n {
		w.slots.id = append(w.slots.id, repl.ID{})
		w.slots.mask = append(w.slots.mask, repl.Mask{})
		for c := range w.comps {
			w.changed[c] = append(w.changed[c], 0)
			w.shaped[c] = append(w.shaped[c], 0)
		}
	}
	w.slots.used.Grow(n)
}
