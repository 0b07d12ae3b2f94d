package sink

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/internal/world/refs"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/entangle-ecs/entangle/protocol/bits"
	"github.com/mlange-42/arche/ecs"
)

// references turns the indexes in a component into entities, and keeps those that wait for their
// entity.
type references struct {
	replicas *replicas
	table    receiver.Refs // the reference table of the current record
	pending  []repl.ID     // by placeholder: ids in the current component that have no entity yet
	late     refs.Late
	departed departures
}

// At implements wire.RefReader.
func (r *references) At(index uint32) (ecs.Entity, bool) {
	to, ok := r.table.At(index)
	if !to.Late {
		r.replicas.markReferred(to.Slot)
		return r.replicas.Entity(to.Slot), ok
	}
	if len(r.pending) == refs.MaxLate {
		r.late.Dropped++
		return ecs.Entity{}, ok
	}
	r.pending = append(r.pending, to.ID)
	return wire.Placeholder(uint32(len(r.pending) - 1)), ok
}

// decodeTarget reads the target of a relation. A target that has not arrived yet is recorded as
// waiting, and is the zero entity until it arrives.
func (r *references) decodeTarget(in *bits.Reader, h refs.LateHolder) ecs.Entity {
	target := wire.DecodeTarget(in, r)
	if len(r.pending) == 0 {
		return target
	}
	r.late.Found = append(r.late.Found, refs.LateRef{Target: r.pending[0], Holder: h, N: source.TargetRef})
	r.pending = r.pending[:0]
	return ecs.Entity{}
}

// recordLate replaces the placeholders in a newly decoded value with the zero entity and records
// their places.
func (r *references) recordLate(h refs.LateHolder, plan *wire.Plan, value []byte) {
	l := &r.late
	if l.Swap == nil {
		l.Swap = r.swapPlaceholder
	}
	l.Holder = h
	plan.MapRefs(value, l.Swap)
	r.pending = r.pending[:0]
}

func (r *references) swapPlaceholder(n int, e ecs.Entity) ecs.Entity {
	at, ok := wire.IsPlaceholder(e)
	if !ok || int(at) >= len(r.pending) {
		return e
	}
	r.late.Found = append(r.late.Found, refs.LateRef{Target: r.pending[at], Holder: r.late.Holder, N: n})
	return ecs.Entity{}
}

// forgetLate removes the waiting references of a component.
func (r *references) forgetLate(s repl.Slot, comp int) {
	if e := &r.replicas.entities[s]; e.waits > 0 {
		e.waits -= uint16(r.late.Forget(refs.LateHolder{Slot: s, Comp: comp}))
	}
}

// awaitFound makes the references in late.Found wait for the entities that they name.
func (r *references) awaitFound() {
	for _, ref := range r.late.Found {
		if e := &r.replicas.entities[ref.Holder.Slot]; e.used && r.late.Add(ref) {
			e.waits++
		}
	}
	r.late.Found = r.late.Found[:0]
}

// resolveWaiting sets the references that waited for an entity.
func (a *Applier) resolveWaiting(s repl.Slot) {
	l, id := &a.refs.late, a.Replicas.Info[s].ID
	for i, ok := l.To(id); ok; i, ok = l.To(id) {
		ref := l.Refs[i]
		l.Drop(i)
		holder := &a.Replicas.entities[ref.Holder.Slot]
		holder.waits--
		a.Replicas.markReferred(s)
		if a.setRef(&ref, a.Replicas.entities[s].entity) {
			l.Set = append(l.Set, ref.Holder)
		}
	}
}

// Outdate implements receiver.Sink. References to entities with older generations of the handle wait
// for nobody any more.
func (a *Applier) Outdate(h repl.Handle, to repl.Generation) {
	l := &a.refs.late
	a.refs.departed.outdate(h, to)
	for i, ok := l.Outdated(h, to); ok; i, ok = l.Outdated(h, to) {
		l.Drop(i)
		a.Replicas.entities[l.Refs[i].Holder.Slot].waits--
	}
}

// setRef writes a reference, unless the game has removed its holder or the component.
func (a *Applier) setRef(ref *refs.LateRef, to ecs.Entity) bool {
	if a.isPredicted(ref.Holder.Slot) {
		return a.setPredictedRef(ref, to)
	}
	if a.isInterpolated(ref.Holder.Slot) {
		return a.setInterpolatedRef(ref, to)
	}
	return a.setWorldRef(ref, to)
}

// setWorldRef is setRef for a component in the world.
func (a *Applier) setWorldRef(ref *refs.LateRef, to ecs.Entity) bool {
	comp, holder := &a.comps[ref.Holder.Comp], a.Replicas.entities[ref.Holder.Slot].entity
	if !a.world.Alive(holder) || !a.world.Has(holder, comp.id) {
		return false
	}
	if ref.N == source.TargetRef {
		return a.setTarget(holder, comp.id, to)
	}
	return comp.plan.SetRef(a.writer.Bytes(holder, comp.id), ref.N, to)
}

// raiseResolved raises one event for each component in which references were set.
func (a *Applier) raiseResolved() {
	l := &a.refs.late
	slices.SortFunc(l.Set, refs.LateHolder.Compare)
	for _, h := range slices.Compact(l.Set) {
		if _, ok := a.confirmedValue(h.Slot, h.Comp); ok {
			a.raiseChanged(h.Slot, a.Replicas.Info[h.Slot].mask, set.MaskOf(h.Comp))
		}
	}
	l.Set = l.Set[:0]
}
