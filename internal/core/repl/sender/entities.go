package sender

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/set"
)

// Spawn takes in an entity with the given components, as a public group of its own.
func (w *World) Spawn(s repl.Slot, mask set.Mask) { w.SpawnAt(s, mask, Place{}) }

// SpawnAt takes in an entity with the given components. When no handle is left it is counted, and
// not replicated. When its group is full it is counted, and gets a group of its own.
func (w *World) SpawnAt(s repl.Slot, mask set.Mask, at Place) {
	if w.state.isFull(at) {
		w.SpawnAt(s, mask, Place{Private: at.Private})
		w.Move(s, at)
		return
	}
	if to, ok := w.state.enter(ident.NoGroup, at); ok {
		w.state.admit(s, mask, to)
		w.state.join(s, to)
		w.joined(s, to)
	}
}

// joined updates the peers for an entity that has joined a group.
func (w *World) joined(s repl.Slot, at seat) {
	w.growPeers()
	if at.reused {
		w.unhide(at.group, at.number)
	}
	w.updatePredictions(s, at.group)
}

// growPeers makes room for public handles that are new.
func (w *World) growPeers() {
	for _, p := range w.peers {
		p.public.grow(w.state.public.Len(), w.state.tick)
	}
}

// Despawn ends the replication of an entity that was removed: the peers despawn it.
func (w *World) Despawn(s repl.Slot) { w.endEntity(s, repl.Despawned) }

// Abandon ends the replication of an entity, and the peers are sent nothing more of it: they keep
// it as it was last sent.
func (w *World) Abandon(s repl.Slot) { w.endEntity(s, repl.Orphaned) }

func (w *World) endEntity(s repl.Slot, fate repl.Fate) {
	if !w.state.slots.used.Has(int(s)) {
		return // it was never taken in
	}
	id := w.state.slots.group[s]
	w.endVacated(s)
	w.state.end(s, fate)
	w.updatePredictions(s, id)
	w.predictions.forgetEntity(s)
}

// Move moves an entity to another group without changing it. It keeps its network id and its
// replicas. A paused entity stays where it is: its present state is not sent.
func (w *World) Move(s repl.Slot, at Place) {
	if !w.state.slots.used.Has(int(s)) || w.state.isPaused(s) {
		return
	}
	from := w.state.slots.group[s]
	if w.state.groups[from].place == at {
		return
	}
	to, ok := w.state.enter(from, at)
	if !ok || to.group == from {
		return
	}
	w.endVacated(s)
	w.state.leave(s, repl.Moved)
	w.updatePredictions(s, from)
	w.state.join(s, to)
	w.state.follow(s, from)
	w.joined(s, to)
}

// Pause stops an entity from being sent: the peers keep it as it was last sent. From now on the
// source may be asked for its values from before the pause.
func (w *World) Pause(s repl.Slot) {
	if w.state.slots.used.Has(int(s)) && !w.state.isPaused(s) {
		w.state.pause(s, w.unheard(s))
		w.updatePredictions(s, w.state.slots.group[s])
	}
}

// unheard reports whether a peer that may see an entity in its group has not yet acknowledged that
// it left another group, or that it left this one and came back.
func (w *World) unheard(s repl.Slot) (some bool) {
	for _, p := range w.peers {
		p.cameFrom(s, ident.NoGroup, func(ident.Group) { some = true })
		some = some || p.keepsMoved(s)
	}
	return some
}

// Resume sends an entity again, whole.
func (w *World) Resume(s repl.Slot) {
	if w.state.slots.used.Has(int(s)) && w.state.isPaused(s) {
		w.state.resume(s)
		w.updatePredictions(s, w.state.slots.group[s])
	}
}

// Change says that a component's value changed in all these slots. Only the tick of the change is
// stored; the sender asks its Source for the value when it encodes a record. Slots of paused entities
// do not count: Resume sends these whole.
func (w *World) Change(comp int, slots []repl.Slot) { w.state.change(comp, slots) }

// Reshape says that components of an entity appeared and vanished. One that did
// both and is there now counts as inserted.
func (w *World) Reshape(s repl.Slot, inserted, removed set.Mask) {
	if w.state.slots.used.Has(int(s)) {
		w.noteInserted(s, inserted)
		w.state.reshape(s, inserted, removed)
	}
}
