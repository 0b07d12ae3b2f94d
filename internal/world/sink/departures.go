package sink

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/internal/world/refs"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/mlange-42/arche/ecs"
)

// departures are entities that are no longer replicas, and that components may refer to. An entity that
// was only hidden is shown again with the same network id, but as a different entity of this world. Until
// then, references to it wait, and keep the dead entity as their value. Which components refer to it is
// searched when its id returns, for all departures at once: most never return.
type departures struct {
	comps    set.Mask // components with references in their values
	byID     map[repl.ID]ecs.Entity
	byEntity map[ecs.Entity]repl.ID
	handles  map[repl.Handle]struct{} // of the ids, and perhaps of some that were dropped
	holder   refs.LateHolder          // the component that is being searched
	note     func(n int, e ecs.Entity) ecs.Entity
}

// maxDepartures bounds the departures of which the references are not searched yet.
const maxDepartures = 256

func newDepartures() departures {
	return departures{byID: map[repl.ID]ecs.Entity{}, byEntity: map[ecs.Entity]repl.ID{}, handles: map[repl.Handle]struct{}{}}
}

func (l *departures) add(lost lostEntity) {
	l.byID[lost.id], l.byEntity[lost.entity] = lost.entity, lost.id
	l.handles[lost.id.Group] = struct{}{}
}

func (l *departures) clear() {
	clear(l.byID)
	clear(l.byEntity)
	clear(l.handles)
}

// outdate drops the departures with older generations of a handle, which do not return.
func (l *departures) outdate(h repl.Handle, to repl.Generation) {
	if _, any := l.handles[h]; !any {
		return // as for most new groups, and a message may begin thousands
	}
	for id, e := range l.byID {
		if id.Group == h && id.Generation < to {
			delete(l.byID, id)
			delete(l.byEntity, e)
		}
	}
}

// prepareReturn makes the references to an entity wait for it, if its id is about to return.
func (a *Applier) prepareReturn(id repl.ID) {
	if _, departed := a.refs.departed.byID[id]; departed {
		a.awaitReturns()
	}
}

// awaitReturns makes references wait for all departures.
func (a *Applier) awaitReturns() {
	l := &a.refs.departed
	if l.note == nil {
		l.note = a.refs.awaitReturn
	}
	for s := range a.Replicas.Info { // most hold no references
		if holds := a.Replicas.Info[s].mask.And(l.comps); !holds.IsZero() && a.Replicas.entities[s].used {
			a.awaitReturnsOf(repl.Slot(s), &holds)
		}
	}
	l.clear()
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
	if _, ours := r.replicas.Slot(to); ours {
		return to
	}
	if id, departed := l.byEntity[to]; departed && r.late.Add(refs.LateRef{Target: id, Holder: l.holder, N: n}) {
		r.replicas.entities[l.holder.Slot].waits++
	}
	return to
}

// awaitTargets makes the relation targets that a record sets and removes wait for their return: no
// relation in the world has a dead target. It also bounds the departures.
func (a *Applier) awaitTargets() {
	l := &a.refs.departed
	if len(l.byEntity) == 0 {
		return
	}
	for i := range a.stage.members {
		slot := a.stage.members[i].slot
		for _, v := range a.stage.valuesOf(i) {
			if a.comps[v.comp].relation && a.Replicas.entities[slot].used {
				l.holder = refs.LateHolder{Slot: slot, Comp: v.comp}
				a.refs.awaitReturn(source.TargetRef, v.target)
			}
		}
	}
	if len(l.byEntity) >= maxDepartures {
		a.awaitReturns()
	}
}
