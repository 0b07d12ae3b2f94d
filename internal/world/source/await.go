package source

import (
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/world/refs"
	"github.com/mlange-42/arche/ecs"
)

// MaxAwaited is the maximum number of stored references to entities that are not replicated yet. A
// reference beyond it stays empty on the peers until its component changes.
const MaxAwaited = 4096

// await stores which components refer to living entities that are not replicated. Such a component
// is sent with an empty reference, and again once the entity is replicated. A note ends when the
// component changes or either entity ends.
type await struct {
	notes    []awaited
	free     []int32
	byTarget refs.Chains[ecs.Entity]
	byHolder refs.Chains[refs.LateHolder]
	dropped  uint64 // for lack of room
	looked   int    // index of the last note whose target tidy checked
}

type awaited struct {
	target ecs.Entity // zero: the note is free
	holder refs.LateHolder
}

func newAwait() await {
	return await{byTarget: refs.NewChains[ecs.Entity](), byHolder: refs.NewChains[refs.LateHolder]()}
}

func (a *await) len() int { return len(a.notes) - len(a.free) }

// add stores a reference, if there is room.
func (a *await) add(target ecs.Entity, holder refs.LateHolder) {
	var i int32
	switch n := len(a.free); {
	case n > 0:
		i, a.free = a.free[n-1], a.free[:n-1]
	case len(a.notes) == MaxAwaited:
		a.dropped++
		return
	default:
		i = int32(len(a.notes))
		a.notes = append(a.notes, awaited{})
	}
	a.notes[i] = awaited{target, holder}
	a.byTarget.Add(target, i)
	a.byHolder.Add(holder, i)
}

func (a *await) drop(i int32) {
	a.byTarget.Remove(a.notes[i].target, i)
	a.byHolder.Remove(a.notes[i].holder, i)
	a.notes[i] = awaited{}
	a.free = append(a.free, i)
}

// take removes and returns a component that refers to an entity.
func (a *await) take(target ecs.Entity) (holder refs.LateHolder, ok bool) {
	i, ok := a.byTarget.First(target)
	if !ok {
		return refs.LateHolder{}, false
	}
	holder = a.notes[i].holder
	a.drop(i)
	return holder, true
}

// forget removes the references of a component.
func (a *await) forget(h refs.LateHolder) {
	for i, ok := a.byHolder.First(h); ok; i, ok = a.byHolder.First(h) {
		a.drop(i)
	}
}

// LookedAfter is the number of notes that a tick checks.
const LookedAfter = 64

// tidy removes references to entities that died before they were replicated, some in each tick.
func (a *await) tidy(w *ecs.World) {
	for range min(LookedAfter, len(a.notes)) {
		a.looked = (a.looked + 1) % len(a.notes)
		if e := a.notes[a.looked].target; !e.IsZero() && !w.Alive(e) {
			a.drop(int32(a.looked))
		}
	}
}

// AwaitedReferences returns how many references wait for their living entity to be replicated, and
// how many were dropped for lack of room.
func (p *Publisher) AwaitedReferences() (waiting int, dropped uint64) {
	return p.awaits.len(), p.awaits.dropped
}

// forgetAwaited removes the references of components of an entity.
func (p *Publisher) forgetAwaited(s columns.Slot, comps *repl.Mask) {
	for comp := p.linked.Next(0); comp >= 0 && p.awaits.len() > 0; comp = p.linked.Next(comp + 1) {
		if comps.Has(comp) {
			p.awaits.forget(refs.LateHolder{Slot: repl.Slot(s), Comp: comp})
		}
	}
}

// overwritten removes the references of a component in p.slots.
func (p *Publisher) overwritten(comp int) {
	if p.awaits.len() == 0 || !p.linked.Has(comp) {
		return
	}
	for _, s := range p.slots {
		p.awaits.forget(refs.LateHolder{Slot: s, Comp: comp})
	}
}

// arrived resends the components that refer to a newly replicated entity.
func (p *Publisher) arrived(e ecs.Entity) {
	for h, ok := p.awaits.take(e); ok; h, ok = p.awaits.take(e) {
		p.slots = append(p.slots[:0], h.Slot)
		p.Sender.Change(h.Comp, p.slots)
	}
}

// refWriter turns the entities in a component into indexes of a table. An entity that is not
// replicated is written as none, and its reference is stored if it is alive.
type refWriter struct {
	publisher *Publisher
	refs      *repl.RefTable
	holder    refs.LateHolder
}

// begin starts a component and removes the references stored for its previous value.
func (r *refWriter) begin(h refs.LateHolder) {
	r.holder = h
	if r.publisher.awaits.len() > 0 {
		r.publisher.awaits.forget(h)
	}
}

// Index implements wire.RefWriter.
func (r *refWriter) Index(e ecs.Entity) uint32 {
	s, ok := r.publisher.Table.SlotOf(e)
	if ok {
		return r.refs.Index(repl.Slot(s))
	}
	if !e.IsZero() && r.publisher.Arche.Alive(e) {
		r.publisher.awaits.add(e, r.holder)
	}
	return 0
}
