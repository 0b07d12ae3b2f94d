package source

import (
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/world/refs"
	"github.com/mlange-42/arche/ecs"
)

// MaxAwaited bounds the references that are remembered because their entity is not
// replicated yet. What is beyond it stays empty on the peers until its component
// changes.
const MaxAwaited = 4096

// await remembers which components refer to living entities that are not replicated:
// they were sent without them, and are sent again when those are. What becomes of
// the component makes an end of that, and so does the end of either entity.
type await struct {
	notes    []awaited
	free     []int32
	byTarget refs.Chains[ecs.Entity]
	byHolder refs.Chains[refs.LateHolder]
	dropped  uint64 // for lack of room
	looked   int    // up to which note targets were looked after
}

type awaited struct {
	target ecs.Entity // zero: the note is free
	holder refs.LateHolder
}

func newAwait() await {
	return await{byTarget: refs.NewChains[ecs.Entity](), byHolder: refs.NewChains[refs.LateHolder]()}
}

func (a *await) len() int { return len(a.notes) - len(a.free) }

// add remembers a reference, if there is room.
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

// take returns a component that refers to an entity, and forgets that it does.
func (a *await) take(target ecs.Entity) (holder refs.LateHolder, ok bool) {
	i, ok := a.byTarget.First(target)
	if !ok {
		return refs.LateHolder{}, false
	}
	holder = a.notes[i].holder
	a.drop(i)
	return holder, true
}

// forget ends the wait of what a component holds.
func (a *await) forget(h refs.LateHolder) {
	for i, ok := a.byHolder.First(h); ok; i, ok = a.byHolder.First(h) {
		a.drop(i)
	}
}

// LookedAfter is how many notes a tick looks after.
const LookedAfter = 64

// tidy forgets targets that died unseen, some in each tick.
func (a *await) tidy(w *ecs.World) {
	for range min(LookedAfter, len(a.notes)) {
		a.looked = (a.looked + 1) % len(a.notes)
		if e := a.notes[a.looked].target; !e.IsZero() && !w.Alive(e) {
			a.drop(int32(a.looked))
		}
	}
}

// AwaitedReferences returns how many references are remembered because their entity
// lives and is not replicated yet, and how many were not for lack of room.
func (p *Publisher) AwaitedReferences() (waiting int, dropped uint64) {
	return p.awaits.len(), p.awaits.dropped
}

// forgetAwaited ends the wait of what components of an entity hold.
func (p *Publisher) forgetAwaited(s columns.Slot, comps *repl.Mask) {
	for comp := p.linked.Next(0); comp >= 0 && p.awaits.len() > 0; comp = p.linked.Next(comp + 1) {
		if comps.Has(comp) {
			p.awaits.forget(refs.LateHolder{Slot: repl.Slot(s), Comp: comp})
		}
	}
}

// overwritten ends the wait of what a component held in the slots at hand.
func (p *Publisher) overwritten(comp int) {
	if p.awaits.len() == 0 || !p.linked.Has(comp) {
		return
	}
	for _, s := range p.slots {
		p.awaits.forget(refs.LateHolder{Slot: s, Comp: comp})
	}
}

// arrived has the components sent again that refer to an entity which is replicated
// from now on.
func (p *Publisher) arrived(e ecs.Entity) {
	for h, ok := p.awaits.take(e); ok; h, ok = p.awaits.take(e) {
		p.slots = append(p.slots[:0], h.Slot)
		p.Sender.Change(h.Comp, p.slots)
	}
}

// refWriter turns the entities in a component into indexes of a table. One that is
// not replicated is written as no entity, and remembered if it lives.
type refWriter struct {
	publisher *Publisher
	refs      *repl.RefTable
	holder    refs.LateHolder
}

// begin makes ready for a component. What its value before was to remember is
// forgotten.
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
