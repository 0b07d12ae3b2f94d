package sink

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/snapshot"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
	"github.com/entangle-ecs/entangle/internal/world/refs"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/entangle-ecs/entangle/protocol/bits"
	"github.com/mlange-42/arche/ecs"
)

// interpolates reports whether the current record makes a member interpolated, or leaves it so.
func (a *Applier) interpolates(m *stagedMember) bool {
	return a.interpolation.comp >= 0 && (m.mask.Has(a.interpolation.comp) || a.isInterpolated(m.slot))
}

// markHiddenSpawns begins the interpolation of the entities that the current record spawns, so that no reference to
// one of them comes into the world with a member before it.
func (a *Applier) markHiddenSpawns() {
	if a.interpolation.comp < 0 || len(a.stage.spawned) == 0 {
		return
	}
	for i := range a.stage.members {
		m := &a.stage.members[i]
		if m.fresh && !a.Replicas.Info[m.slot].predictOnSpawn && a.interpolates(m) && a.world.Alive(a.Replicas.entities[m.slot].entity) {
			a.beginInterpolation(m.slot, false)
		}
	}
}

// commitInterpolated takes in one interpolated member: its confirmed state changes at once, and the change
// waits until the entity is shown at its tick.
func (a *Applier) commitInterpolated(m *stagedMember, values []stagedValue) {
	in, k := &a.interpolation, &a.Replicas.Info[m.slot]
	var leave set.Mask
	if k.snapshotSlot == 0 {
		leave = a.beginInterpolation(m.slot, !m.fresh).mask.And(in.leftOut)
	}
	at := k.snapshotSlot
	one := &in.slots[at]
	had := one.has
	in.pending.add(pendingChange{slot: at, tick: a.stage.tick, since: a.presentTick(a.stage.tick), removed: m.removed.Or(leave)})
	for comp := range m.removed.All() {
		one.has.Clear(comp)
		if a.comps[comp].relation && had.Has(comp) {
			a.forgetConfirmedTarget(m.slot)
		}
	}
	for i := range values {
		a.confirmInterpolated(at, &values[i], had)
	}
	if one.has.Has(in.comp) {
		a.readInterval(at, in.confirmed.value(at, in.comp))
	}
	before := a.stage.before
	if m.whole { // it may have come from another group
		before = a.stage.tick
	}
	a.addSample(at, before, a.stage.tick)
}

// confirmInterpolated writes one value to the confirmed state, and adds it to the newest pending change as
// far as its mode says that the world gets it. had is the components that the entity had before.
func (a *Applier) confirmInterpolated(at snapshot.Slot, v *stagedValue, had set.Mask) {
	in := &a.interpolation
	one := &in.slots[at]
	value := in.confirmed.value(at, v.comp)
	copy(value, a.stage.buf[v.at:])
	one.has.Set(v.comp)
	if a.comps[v.comp].relation {
		a.recordTarget(one.replica, a.resolveTarget(a.Replicas.entities[one.replica].entity, v.target))
	}
	a.addPending(v.comp, value, v.target, had.Has(v.comp))
}

// addPending adds a value to the newest pending change. Values of components that are blended are shown
// from the samples; only their first one is part of a change, unless they have references or a relation target.
func (a *Applier) addPending(comp int, value []byte, target ecs.Entity, had bool) {
	p, c := &a.interpolation.pending, &a.comps[comp]
	newest := &p.list[len(p.list)-1]
	switch mode := c.interpolate; {
	case mode == registry.None:
	case !had || mode == registry.Simple || mode == registry.Full && (c.relation || c.plan.HasRefs()):
		p.addValue(comp, value, target)
		newest.updated.Set(comp)
	case mode == registry.Full:
		newest.updated.Set(comp)
	}
}

// finishInterpolated does the rest of an update after its values are in the confirmed state.
func (a *Applier) finishInterpolated(slot repl.Slot, before, tick entangle.Tick) {
	in, now := &a.interpolation, &a.sets.now
	at := a.Replicas.Info[slot].snapshotSlot
	one := &in.slots[at]
	a.Replicas.entities[slot].tick = tick
	one.has = one.has.Or(now.set)
	if now.set.Has(in.comp) {
		a.readInterval(at, in.confirmed.value(at, in.comp))
	}
	if now.changes() {
		in.pending.add(pendingChange{slot: at, tick: tick, since: a.presentTick(tick)})
		for _, comp := range now.comps {
			a.addPending(comp.number, in.confirmed.value(at, comp.number), ecs.Entity{}, true)
		}
	}
	a.addSample(at, before, tick)
}

// updateInterpolatedBlock is updateShorts for the interpolated entities at the beginning of a run.
func (a *Applier) updateInterpolatedBlock(slots []repl.Slot, before []entangle.Tick, tick entangle.Tick, r *bits.Reader) (n int, err error) {
	for n < min(len(slots), wire.MaxShortRun) && a.isInterpolated(slots[n]) && a.Replicas.Info[slots[n]].mask.Holds(&a.sets.now.set) {
		n++
	}
	slots = slots[:n]
	values, confirmed := &a.block.values, &a.interpolation.confirmed
	n, err = values.Read(r, len(slots))
	for i, comp := range a.sets.now.comps {
		if comp.plan.Size() == 0 {
			continue
		}
		for record, slot := range slots[:n] {
			values.PutOne(i, record, confirmed.place(a.Replicas.Info[slot].snapshotSlot, comp.number))
		}
	}
	for i, slot := range slots[:n] {
		a.finishInterpolated(slot, before[i], tick)
	}
	return n, err
}

// changes reports whether an update of the set is more than samples: it has values that are not blended, or
// values of which the events are read.
func (s *componentSet) changes() bool {
	for _, comp := range s.comps {
		if comp.interpolate == registry.Simple || comp.interpolate == registry.Full && (comp.plan.HasRefs() || comp.events.ReadsUpdates()) {
			return true
		}
	}
	return false
}

// leaveInterpolated keeps a replica whose end has arrived, until that is shown.
func (a *Applier) leaveInterpolated(s repl.Slot, kind changeKind) {
	in := &a.interpolation
	at := a.Replicas.Info[s].snapshotSlot
	in.leaving[a.Replicas.Info[s].ID] = at
	a.tell(s, inspect.InterpolationLeaving, a.stage.tick)
	in.pending.add(pendingChange{slot: at, kind: kind, tick: a.stage.tick, since: a.presentTick(a.stage.tick)})
}

// shownTick returns the tick at which an entity is shown.
func (a *Applier) shownTick(one *interpolated) entangle.Tick {
	shown, _ := a.interpolation.clock.Timeline(one.every)
	return shown
}

// presentTick returns the tick since which a change of a tick waits that arrives now. It is of the same timeline for
// all entities, because the interval of an entity may change while it waits.
func (a *Applier) presentTick(tick entangle.Tick) entangle.Tick {
	if !a.interpolation.clock.Begun() {
		return tick
	}
	present, _ := a.interpolation.clock.Timeline(1)
	return present
}

// setInterpolatedRef sets a reference that waited in the confirmed state of an interpolated entity: in the
// newest change that has its component, or in the world if that change is shown.
func (a *Applier) setInterpolatedRef(ref *refs.LateRef, to ecs.Entity) bool {
	in, comp := &a.interpolation, &a.comps[ref.Holder.Comp]
	at := a.Replicas.Info[ref.Holder.Slot].snapshotSlot
	one := &in.slots[at]
	if !one.has.Has(comp.number) {
		return false
	}
	v, pending := in.pending.newestOf(at, comp.number)
	if ref.N == source.TargetRef {
		a.recordTarget(ref.Holder.Slot, a.resolveTarget(a.Replicas.entities[ref.Holder.Slot].entity, to))
		if pending {
			v.target = to
			return false
		}
	} else {
		comp.plan.SetRef(in.confirmed.value(at, comp.number), ref.N, to)
		if pending {
			comp.plan.SetRef(in.pending.bytesOf(v), ref.N, to)
			return false
		}
	}
	return one.shown && a.setWorldRef(ref, to)
}
