package sink

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/internal/world/refs"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/mlange-42/arche/ecs"
)

// departures tracks references to entities that are no longer replicas. An entity that was only
// hidden is shown again with the same network id, but as a different entity of this world. Until
// then, references to it wait, and keep the dead entity as their value.
type departures struct {
	comps  set.Mask        // components with references in their values
	list   []lostEntity    // entities that the current record or run removed, sorted by awaitReturns
	holder refs.LateHolder // the component that is being searched
	note   func(n int, e ecs.Entity) ecs.Entity
}

// awaitReturns makes references wait for the entities that the current record or run removed. These
// references may be in values of the same record: its values and its removals belong to one tick.
func (a *Applier) awaitReturns() {
	l := &a.refs.departed
	if len(l.list) == 0 {
		return
	}
	if l.note == nil {
		l.note = a.refs.awaitReturn
	}
	slices.SortFunc(l.list, func(a, b lostEntity) int { return a.compare(b.entity) })
	for s := range a.Replicas.Info { // most hold no references
		if holds := a.Replicas.Info[s].mask.And(l.comps); !holds.IsZero() && a.Replicas.entities[s].used {
			a.awaitReturnsOf(repl.Slot(s), &holds)
		}
	}
	a.awaitTargets()
	l.list = l.list[:0]
}

func (a *Applier) awaitReturnsOf(s repl.Slot, holds *set.Mask) {
	l := &a.refs.departed
	for comp := range holds.All() {
		if value, ok := a.confirmedValue(s, comp); ok {
			l.holder = refs.LateHolder{Slot: s, Comp: comp}
			a.comps[comp].plan.MapRefs(value, l.note)
		}
	}
}

// awaitReturn makes a reference wait if its entity is one of the departures.
func (r *references) awaitReturn(n int, to ecs.Entity) ecs.Entity {
	l := &r.departed
	i, departed := slices.BinarySearchFunc(l.list, to, lostEntity.compare)
	if departed && r.late.Add(refs.LateRef{Target: l.list[i].id, Holder: l.holder, N: n}) {
		r.replicas.entities[l.holder.Slot].waits++
	}
	return to
}

// awaitTargets is awaitReturns for the relation targets that the record sets: no relation in the
// world has a dead target.
func (a *Applier) awaitTargets() {
	for i := range a.stage.members {
		slot := a.stage.members[i].slot
		for _, v := range a.stage.valuesOf(i) {
			if a.comps[v.comp].relation && a.Replicas.entities[slot].used {
				a.refs.departed.holder = refs.LateHolder{Slot: slot, Comp: v.comp}
				a.refs.awaitReturn(source.TargetRef, v.target)
			}
		}
	}
}
