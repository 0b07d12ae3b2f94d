package sink

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/internal/world/refs"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/mlange-42/arche/ecs"
)

// relations holds the relations between replicas.
type relations struct {
	comps set.Mask
	lost  []lostEntity // targets that the current record removed
	// holdersOf is the slots of predicted and interpolated entities by replicaInfo.confirmedTarget. A hostile server may
	// remove a target with each bit of a message: that must not search all entities.
	holdersOf refs.Chains[ecs.Entity]
	holders   []ecs.Entity       // scratch: entities with the same target
	withComp  ecs.Mask           // scratch, of releaseTarget
	withLost  ecs.RelationFilter // scratch, of releaseTarget
}

// lostEntity is an entity that is no longer a replica.
type lostEntity struct {
	entity ecs.Entity
	id     repl.ID
}

// checkRelation checks that a member gets no second relation.
func (a *Applier) checkRelation(m *stagedMember, comp int) error {
	if !a.comps[comp].relation {
		return nil
	}
	for other := range a.relations.comps.All() {
		if other != comp && m.mask.Has(other) {
			return source.ErrTwoRelations
		}
	}
	return nil
}

// removeOtherRelation removes a relation that the game added to an entity on this side, when the
// server gives the entity another one: an entity can have only one relation.
func (a *Applier) removeOtherRelation(e ecs.Entity, comp int) {
	s := &a.stage
	for _, id := range a.world.Ids(e) {
		info, _ := ecs.ComponentInfo(a.world, id)
		if info.IsRelation && id != a.comps[comp].id && !slices.Contains(s.remove, id) {
			s.remove = append(s.remove, id)
		}
	}
}

// resolveTarget returns the target that a relation of an entity gets. It is the zero entity if the
// target is gone, or if it is the entity itself: Arche cannot remove an entity that is its own
// target.
func (a *Applier) resolveTarget(e, target ecs.Entity) ecs.Entity {
	s, ours := a.Replicas.Slot(target)
	if !ours || target == e || !a.world.Alive(target) {
		return ecs.Entity{}
	}
	a.Replicas.Info[s].targeted = true
	return target
}

// setTarget sets the target of a relation and reports whether it changed.
func (a *Applier) setTarget(e ecs.Entity, id ecs.ID, target ecs.Entity) (changed bool) {
	target = a.resolveTarget(e, target)
	if a.world.Relations().Get(e, id) == target || !a.archetypes.allow(archetype{a.world.Mask(e), target}) {
		return false
	}
	a.writer.SetTarget(e, id, target)
	return true
}

// recordDeparture records that an entity is no longer a replica, if relations or references may
// point to it.
func (a *Applier) recordDeparture(s repl.Slot) {
	lost := lostEntity{entity: a.Replicas.entities[s].entity, id: a.Replicas.Info[s].ID}
	if a.Replicas.Info[s].targeted {
		a.relations.lost = append(a.relations.lost, lost)
	}
	if a.Replicas.Info[s].referred {
		a.refs.departed.add(lost)
	}
}

// releaseTargets clears the relations to entities that the current record removed. The relations
// wait for their targets, because a hidden entity may be shown again.
func (a *Applier) releaseTargets() {
	for _, lost := range a.relations.lost {
		for comp := range a.relations.comps.All() {
			a.releaseTarget(lost, comp)
		}
		a.releaseConfirmed(lost)
	}
	a.relations.lost = a.relations.lost[:0]
}

func (a *Applier) releaseTarget(lost lostEntity, comp int) {
	id := a.comps[comp].id
	held := a.relations.holders[:0]
	a.relations.withComp = ecs.All(id)
	a.relations.withLost = ecs.NewRelationFilter(&a.relations.withComp, lost.entity)
	for query := a.world.Query(&a.relations.withLost); query.Next(); {
		held = append(held, query.Entity())
	}
	for _, e := range held {
		s, ours := a.Replicas.Slot(e)
		switch {
		case !ours || !a.world.Alive(e) || !a.world.Has(e, id): // the latter by a listener of the game
		case a.isInterpolated(s):
			a.writer.SetTarget(e, id, ecs.Entity{})
			a.refs.late.Set = append(a.refs.late.Set, refs.LateHolder{Slot: s, Comp: comp})
		case !a.isPredicted(s):
			a.writer.SetTarget(e, id, ecs.Entity{})
			a.awaitTarget(lost, refs.LateHolder{Slot: s, Comp: comp})
		case a.comps[comp].followsServer():
			a.writer.SetTarget(e, id, ecs.Entity{})
		}
	}
	a.relations.holders = held
}

// awaitTarget makes a relation wait for its former target.
func (a *Applier) awaitTarget(lost lostEntity, h refs.LateHolder) {
	a.refs.late.Set = append(a.refs.late.Set, h)
	a.awaitLost(lost, h)
}

// awaitLost is awaitTarget for a relation that does not change in the world.
func (a *Applier) awaitLost(lost lostEntity, h refs.LateHolder) {
	if a.refs.late.Add(refs.LateRef{Target: lost.id, Holder: h, N: source.TargetRef}) {
		a.Replicas.entities[h.Slot].waits++
	}
}

// setConfirmedTarget sets the relation target in the confirmed state of a predicted entity.
func (a *Applier) setConfirmedTarget(s repl.Slot, to ecs.Entity) {
	k := &a.Replicas.Info[s]
	a.prediction.store.Confirmed(k.storeSlot).Target = columns.PackEntity(to)
	a.recordTarget(s, to)
}

// recordTarget adds an entity to the holders of its confirmed target.
func (a *Applier) recordTarget(s repl.Slot, to ecs.Entity) {
	k := &a.Replicas.Info[s]
	if k.confirmedTarget == to {
		return
	}
	a.forgetConfirmedTarget(s)
	if k.confirmedTarget = to; !to.IsZero() {
		a.relations.holdersOf.Add(to, int32(s))
	}
}

// forgetConfirmedTarget removes an entity from the holders of its target.
func (a *Applier) forgetConfirmedTarget(s repl.Slot) {
	if k := &a.Replicas.Info[s]; !k.confirmedTarget.IsZero() {
		a.relations.holdersOf.Remove(k.confirmedTarget, int32(s))
		k.confirmedTarget = ecs.Entity{}
	}
}

// releaseConfirmed clears the relations to a removed entity in the confirmed state of predicted and interpolated
// entities.
func (a *Applier) releaseConfirmed(lost lostEntity) {
	of := &a.relations.holdersOf
	for i, ok := of.First(lost.entity); ok; i, ok = of.First(lost.entity) {
		s := repl.Slot(i)
		a.forgetConfirmedTarget(s)
		at := a.Replicas.Info[s].storeSlot
		if at == 0 {
			a.releaseInterpolated(lost, s)
			continue
		}
		state := a.prediction.store.Confirmed(at)
		held := state.Mask.And(a.relations.comps)
		comp := held.Next(0)
		if comp < 0 || columns.UnpackEntity(state.Target) != lost.entity || !a.isPredicted(s) { // otherwise the game has removed it, and the slot may belong to another entity
			continue
		}
		state.Target = 0
		a.setTwinTarget(s, &a.comps[comp], ecs.Entity{})
		a.prediction.by.Confirmed(at)
		a.awaitTarget(lost, refs.LateHolder{Slot: s, Comp: comp})
	}
}

// releaseInterpolated makes the relation of an interpolated entity wait for its former target.
func (a *Applier) releaseInterpolated(lost lostEntity, s repl.Slot) {
	held := a.interpolation.slots[a.Replicas.Info[s].snapshotSlot].has.And(a.relations.comps)
	if comp := held.Next(0); comp >= 0 && a.world.Alive(a.Replicas.entities[s].entity) {
		a.awaitLost(lost, refs.LateHolder{Slot: s, Comp: comp})
	}
}

// clearDeadTargets clears the relations of an entity to dead targets.
func (a *Applier) clearDeadTargets(e ecs.Entity) {
	for comp := range a.relations.comps.All() {
		if id := a.comps[comp].id; a.world.Has(e, id) && !a.world.Alive(a.world.Relations().Get(e, id)) {
			a.writer.SetTarget(e, id, ecs.Entity{})
		}
	}
}
