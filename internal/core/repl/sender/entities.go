package sender

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/set"
)

// Spawn adds an entity with the given components, as a public group of one.
func (w *World) Spawn(s repl.Slot, mask set.Mask) { w.SpawnAt(s, mask, group.Place{}) }

// SpawnAt adds an entity with the given components to the group of a place. If the group is full, the entity gets a group
// of one. If no handle is free, it is not replicated. Stats counts both.
func (w *World) SpawnAt(s repl.Slot, mask set.Mask, at group.Place) {
	if w.state.HasNoNewNumber(at) {
		w.SpawnAt(s, mask, group.Place{Private: at.Private})
		w.Move(s, at)
		return
	}
	if to, ok := w.state.AllocatePosition(ident.NoGroup, at); ok {
		w.state.AddEntity(s, mask, to)
		w.state.AddMember(s, to)
		w.onJoined(s, to)
	}
}

// onJoined updates the peers after an entity joined a group: their columns, views and predicted sets.
func (w *World) onJoined(s repl.Slot, at group.Position) {
	for _, p := range w.peers {
		p.groups.Public.Grow(w.state.Public.Len(), w.state.Tick)
	}
	if at.Reused {
		w.unhideNumber(at.Group, at.Number)
	}
	w.markPredictionsStale(s, at.Group)
}

// Despawn ends the replication of an entity that was removed: the peers despawn it.
func (w *World) Despawn(s repl.Slot) { w.endEntity(s, repl.Despawned) }

// Abandon orphans an entity: its replication ends, and the peers keep it as it was last sent.
func (w *World) Abandon(s repl.Slot) { w.endEntity(s, repl.Orphaned) }

func (w *World) endEntity(s repl.Slot, fate repl.Fate) {
	if !w.state.Slots.Used.Has(int(s)) {
		return // it was never replicated
	}
	id := w.state.Slots.Group[s]
	if fate == repl.Orphaned {
		w.denyUnseen(s)
	}
	w.recordDeparture(s, false)
	w.state.RemoveEntity(s, fate)
	w.markPredictionsStale(s, id)
	delete(w.predictions, s)
}

// denyUnseen records where an entity despawns that is about to be orphaned: at the peers that have it, in its group or in
// a former one, and were not sent yet that they may not see it any more.
func (w *World) denyUnseen(s repl.Slot) {
	id := w.state.Slots.Group[s]
	for _, v := range w.state.Groups[id].Viewers {
		if w.byIndex[v.Peer()].groups.Private.Hidden.Has(v.Handle()) {
			w.state.Deny(id, w.state.Slots.NumberHere[s], v.Peer())
		}
	}
	for _, from := range w.state.Trails.Of[s] {
		for _, p := range w.peers {
			sp, i := p.groups.Locate(from)
			if i < 0 || p.groups.CanReceive(s) {
				continue
			}
			if number, has := p.groups.FormerNumber(sp, i, s); has {
				w.state.Deny(from, number, p.groups.Index)
			}
		}
	}
}

// Move moves an entity to another group without changing it. It keeps its network id and its
// replicas. A paused entity stays where it is: its present state is not sent.
func (w *World) Move(s repl.Slot, at group.Place) {
	if !w.state.Slots.Used.Has(int(s)) || w.state.IsPaused(s) {
		return
	}
	from := w.state.Slots.Group[s]
	if w.state.Groups[from].Place == at {
		return
	}
	to, ok := w.state.AllocatePosition(from, at)
	if !ok || to.Group == from {
		return
	}
	w.recordDeparture(s, true)
	w.state.RemoveMember(s, repl.Moved)
	w.markPredictionsStale(s, from)
	w.state.AddMember(s, to)
	w.state.Trails.Extend(s, from)
	w.onJoined(s, to)
}

// Pause stops an entity from being sent: the peers keep it as it was last sent. From now on the
// source may be asked for its values from before the pause.
func (w *World) Pause(s repl.Slot) {
	if w.state.Slots.Used.Has(int(s)) && !w.state.IsPaused(s) {
		w.state.Pause(s, w.hasUnsentMove(s))
		w.markPredictionsStale(s, w.state.Slots.Group[s])
	}
}

// hasUnsentMove reports whether a peer that may see an entity in its group was not sent yet that it left another group, or
// that it left this one and came back.
func (w *World) hasUnsentMove(s repl.Slot) bool {
	return slices.ContainsFunc(w.peers, func(p *Peer) bool { return len(p.groups.AppendFormerGroups(nil, s, ident.NoGroup, nil)) > 0 })
}

// Resume sends an entity again, whole.
func (w *World) Resume(s repl.Slot) {
	if w.state.Slots.Used.Has(int(s)) && w.state.IsPaused(s) {
		w.state.Resume(s)
		w.markPredictionsStale(s, w.state.Slots.Group[s])
	}
}

// Change records that the value of a component changed in this tick, in each of the slots. Only the tick is stored: the
// Source writes the value when a record is encoded. Paused entities are ignored, since Resume sends them whole.
func (w *World) Change(comp int, slots []repl.Slot) { w.state.Change(comp, slots) }

// Reshape records that components of an entity were added and removed in this tick. A component that was both and that
// exists now counts as added.
func (w *World) Reshape(s repl.Slot, inserted, removed set.Mask) {
	if w.state.Slots.Used.Has(int(s)) {
		w.noteInserts(s, inserted)
		w.state.Reshape(s, inserted, removed)
	}
}
