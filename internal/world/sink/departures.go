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
// searched at the end of the frame in which its id returns, for all departures at once: most never return,
// and a packet of a hostile server may hide and show an entity a hundred times.
type departures struct {
	comps    set.Mask // components with references in their values
	byID     map[repl.ID]ecs.Entity
	byEntity map[ecs.Entity]repl.ID
	// successors is as what entities have returned. It is filled for a search.
	successors map[ecs.Entity]ecs.Entity
	handles    map[repl.Handle]repl.Generation // of the ids, with the least generation that may return
	returned   []returnedEntity                // since the last search
	found      []foundRef                      // references to entities that have returned
	holder     refs.LateHolder                 // the component that is being searched
	note       func(n int, e ecs.Entity) ecs.Entity
}

// returnedEntity is an entity that was shown again as another one.
type returnedEntity struct{ was, is ecs.Entity }

// foundRef is a reference to an entity that has returned.
type foundRef struct {
	ref refs.LateRef
	to  ecs.Entity
}

// maxDepartures bounds the departures of which the references are not searched yet, as does the number of
// replicas divided by searchShare, so that a search takes few steps for each departure.
const (
	maxDepartures = 256
	searchShare   = 8
)

func newDepartures() departures {
	return departures{
		byID: map[repl.ID]ecs.Entity{}, byEntity: map[ecs.Entity]repl.ID{}, successors: map[ecs.Entity]ecs.Entity{},
		handles: map[repl.Handle]repl.Generation{},
	}
}

func (l *departures) add(lost lostEntity) {
	l.byID[lost.id], l.byEntity[lost.entity] = lost.entity, lost.id
	if _, any := l.handles[lost.id.Group]; !any {
		l.handles[lost.id.Group] = 0
	}
}

// mayReturn reports whether the handle of an id has no later generation.
func (l *departures) mayReturn(id repl.ID) bool { return id.Generation >= l.handles[id.Group] }

func (l *departures) clear() {
	clear(l.byID)
	clear(l.byEntity)
	clear(l.handles)
	clear(l.successors)
	l.returned = l.returned[:0]
}

// outdate notes that the departures with older generations of a handle do not return.
func (l *departures) outdate(h repl.Handle, to repl.Generation) {
	if least, any := l.handles[h]; any && least < to {
		l.handles[h] = to
	}
}

// noteReturn notes an entity that has spawned, if it returns.
func (a *Applier) noteReturn(s repl.Slot) {
	l := &a.refs.departed
	if was, departed := l.byID[a.Replicas.Info[s].ID]; departed && l.mayReturn(a.Replicas.Info[s].ID) {
		l.returned = append(l.returned, returnedEntity{was, a.Replicas.entities[s].entity})
		a.Replicas.markReferred(s)
	}
}

// ResolveReturns sets the references to entities that have returned. It is called when all records of a
// frame have been applied.
func (a *Applier) ResolveReturns() {
	if len(a.refs.departed.returned) > 0 && !a.archetypes.exceeded {
		a.awaitReturns()
		a.raiseResolved()
	}
}

// awaitReturns makes references wait for all departures, and sets those to entities that have returned
// already.
func (a *Applier) awaitReturns() {
	l := &a.refs.departed
	if l.note == nil {
		l.note = a.refs.awaitReturn
	}
	a.findSuccessors()
	for s := range a.Replicas.Info { // most hold no references
		if holds := a.Replicas.Info[s].mask.And(l.comps); !holds.IsZero() && a.Replicas.entities[s].used {
			a.awaitReturnsOf(repl.Slot(s), &holds)
		}
	}
	for i := range l.found {
		if f := &l.found[i]; a.setRef(&f.ref, f.to) {
			a.refs.late.Set = append(a.refs.late.Set, f.ref.Holder)
		}
	}
	l.found = l.found[:0]
	l.clear()
}

// findSuccessors finds as what the departed entities have returned. One that has returned may have departed
// again, or have been orphaned. References to one that is not shown yet wait for that.
func (a *Applier) findSuccessors() {
	l := &a.refs.departed
	for i := len(l.returned) - 1; i >= 0; i-- {
		r := l.returned[i]
		if s, ours := a.Replicas.Slot(r.is); ours && a.isHidden(s) {
			continue
		}
		if _, gone := a.prediction.gone[r.is]; !gone && a.world.Alive(r.is) {
			l.successors[r.was] = r.is
		} else if is, again := l.successors[r.is]; again {
			l.successors[r.was] = is
		}
	}
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

// awaitReturn makes a reference wait if its entity is one of the departures, or notes that the entity has
// returned.
func (r *references) awaitReturn(n int, to ecs.Entity) ecs.Entity {
	l := &r.departed
	if _, ours := r.replicas.Slot(to); ours {
		return to
	}
	id, departed := l.byEntity[to]
	departed = departed && l.mayReturn(id)
	if is, returned := l.successors[to]; departed && returned {
		l.found = append(l.found, foundRef{refs.LateRef{Target: id, Holder: l.holder, N: n}, is})
	} else if departed && r.late.Add(refs.LateRef{Target: id, Holder: l.holder, N: n}) {
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
	if len(l.byEntity) >= max(maxDepartures, len(a.Replicas.Info)/searchShare) {
		a.awaitReturns()
	}
}
