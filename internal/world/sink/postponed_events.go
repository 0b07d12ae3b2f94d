package sink

import (
	"cmp"
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/mlange-42/arche/ecs"
)

// postponedEvents are the events of a predicted entity that the game has despawned ahead of the
// server: its components are not in the world. They are raised if the entity returns.
type postponedEvents struct {
	slot    repl.Slot
	entity  ecs.Entity
	had     set.Mask // its components by the events that were raised
	changed set.Mask // components that were inserted, updated or removed since
}

// isDisabled reports whether the game has despawned a predicted entity ahead of the server.
func (a *Applier) isDisabled(s repl.Slot) bool {
	at := a.Replicas.Info[s].storeSlot
	return at != 0 && a.prediction.by.IsDisabled(at)
}

// raiseChanged raises the events of components that were inserted, updated or removed. had is the set
// of components that the entity had before.
func (a *Applier) raiseChanged(s repl.Slot, had, changed set.Mask) {
	if in := a.interpolation.comp; in >= 0 && a.Replicas.Info[s].storeSlot != 0 {
		changed.Clear(in) // a predicted entity does not have it in the world
	}
	if a.isDisabled(s) {
		a.postponeEvents(s, had, changed)
		return
	}
	a.raiseComponents(a.Replicas.entities[s].entity, had, a.Replicas.Info[s].mask, changed)
}

// raiseComponents raises the events of changed components of an entity that had some components and has others.
func (a *Applier) raiseComponents(e ecs.Entity, had, has, changed set.Mask) {
	for comp := range changed.All() {
		switch events := a.comps[comp].events; {
		case has.Has(comp) && !had.Has(comp):
			events.Inserted(e)
		case had.Has(comp) && !has.Has(comp):
			events.Removed(e)
		case has.Has(comp) && !a.comps[comp].input: // no value of an input is sent
			events.Updated(e)
		}
	}
}

// postponeEvents is raiseChanged for an entity that the game has despawned ahead of the server.
func (a *Applier) postponeEvents(s repl.Slot, had, changed set.Mask) {
	p, e := &a.prediction, a.Replicas.entities[s].entity
	i, ok := slices.BinarySearchFunc(p.postponed, s, func(w postponedEvents, s repl.Slot) int { return cmp.Compare(w.slot, s) })
	if !ok {
		p.postponed = slices.Insert(p.postponed, i, postponedEvents{slot: s})
	}
	if w := &p.postponed[i]; w.entity != e { // another entity may have had the slot
		*w = postponedEvents{s, e, had, changed}
	} else {
		w.changed = w.changed.Or(changed)
	}
}

// RaisePostponed raises the postponed events of entities that have returned, and drops those of
// entities that were removed. It is called after a rollback and after each further tick, both of which
// bring entities back.
func (a *Applier) RaisePostponed() {
	kept := a.prediction.postponed[:0]
	for _, w := range a.prediction.postponed {
		switch {
		case a.Replicas.entities[w.slot].entity != w.entity || !a.world.Alive(w.entity):
		case a.isDisabled(w.slot):
			kept = append(kept, w)
		default:
			a.raiseChanged(w.slot, w.had, w.changed)
		}
	}
	a.prediction.postponed = kept
}
