package sink

import (
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/mlange-42/arche/ecs"
)

// persistence handles the replicas and orphaned entities when the connection ends.
type persistence struct {
	persistent ecs.ID
	marks      []ecs.ID // components that mark an entity as replicated
	removed    []ecs.ID // scratch: the marks that the current entity has
	kept       []ecs.Entity
}

func newPersistence(w *ecs.World, remote ecs.ID) persistence {
	return persistence{
		persistent: ecs.ComponentID[components.Persistent](w),
		marks:      []ecs.ID{remote, ecs.ComponentID[components.Controlled](w)},
	}
}

// Clear removes what the connection created. Entities marked components.Persistent stay in the
// world and belong to the game; all others are removed, orphaned ones included. References that
// still wait stay empty.
func (a *Applier) Clear() {
	a.RaisePostponed()
	for s := range a.Replicas.entities {
		if a.Replicas.entities[s].used {
			a.detachReplica(repl.Slot(s))
		}
	}
	for _, e := range a.Replicas.orphans.list {
		a.detachEntity(e)
	}
	a.Replicas.orphans.list, a.Replicas.orphans.sweepAt = a.Replicas.orphans.list[:0], 0
	a.refs.departed.clear()
	a.refs.late.Set, a.archetypes.exceeded = a.refs.late.Set[:0], false
	a.clearPrediction()
	a.interpolation.pending, a.interpolation.left, a.interpolation.begun = pendingChanges{}, nil, nil
	if a.interpolation.samples != nil {
		a.interpolation.samples.Reset()
	}
	for _, e := range a.persistence.kept {
		if a.world.Alive(e) {
			a.clearDeadTargets(e)
		}
	}
	a.persistence.kept = a.persistence.kept[:0]
}

// detachReplica is detachEntity for a replica. An entity that the game has despawned ahead of the
// server is removed, because nothing is left of it. An entity that was never committed is removed
// too, and so is one that the server has despawned, and that is shown a little longer.
func (a *Applier) detachReplica(s repl.Slot) {
	if a.Replicas.entities[s].fresh || a.isHidden(s) {
		a.discardSpawn(s)
		return
	}
	despawned := a.isDespawned(s) || a.isPredicted(s) && a.prediction.by.IsDisabled(a.Replicas.Info[s].storeSlot)
	e := a.removeReplica(s)
	if despawned {
		a.despawnEntity(e)
	} else {
		a.detachEntity(e)
	}
}

// detachEntity detaches an entity from the connection, or removes it if it is not persistent.
func (a *Applier) detachEntity(e ecs.Entity) {
	l := &a.persistence
	if !a.world.Alive(e) || !a.world.Has(e, l.persistent) {
		a.despawnEntity(e)
		return
	}
	l.removed = l.removed[:0]
	for _, id := range l.marks {
		if a.world.Has(e, id) {
			l.removed = append(l.removed, id)
		}
	}
	a.writer.Exchange(e, nil, l.removed, nil)
	l.kept = append(l.kept, e)
}
