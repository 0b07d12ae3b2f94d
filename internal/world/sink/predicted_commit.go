package sink

import (
	"bytes"

	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/refs"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/mlange-42/arche/ecs"
)

// markPredictedSpawns marks the entities that the current record spawns and that are predicted from
// the start.
func (a *Applier) markPredictedSpawns() {
	for _, f := range a.prediction.changes {
		if e := &a.Replicas.entities[f.slot]; f.on && e.used && e.fresh && a.prediction.by != nil {
			a.Replicas.Info[f.slot].predictOnSpawn = true
		}
	}
}

// commitPredicted writes one predicted member: its confirmed state goes to the store, and the
// components that the prediction does not restore go into the world. When the entity appears, all
// components go into the world, unless the game has spawned it.
func (a *Applier) commitPredicted(m *stagedMember, values []stagedValue) {
	k, e, s := &a.Replicas.Info[m.slot], a.Replicas.entities[m.slot].entity, &a.stage
	s.add, s.remove = s.add[:0], s.remove[:0]
	hash := a.prespawnHash(m, values)
	switch {
	case m.matched: // it has the marks
		a.trackMatched(m, values)
	case m.fresh:
		s.add = append(s.add, a.prediction.marks...)
	}
	a.tagOwned(e, m, values)
	a.hideReferences(m.slot, values) // also in the confirmed state, which a rollback brings into the world
	shown := a.visibleChanges(m, values)
	a.changeEntity(e, &shown, a.prediction.shown)
	if a.archetypes.exceeded || !a.world.Alive(e) { // a listener of the game may have removed it
		return
	}
	if m.fresh && !m.matched {
		a.trackReplica(m.slot)
	}
	a.writeTwin(k.twin, m, values)
	a.confirmMember(m, values)
	if hash != 0 && !m.matched {
		a.prediction.by.PrespawnedArrived(e, k.storeSlot, hash, s.tick)
	}
}

// trackReplica begins to keep the confirmed state of an entity that has the marks.
func (a *Applier) trackReplica(s repl.Slot) {
	k, e := &a.Replicas.Info[s], &a.Replicas.entities[s]
	k.storeSlot, k.predictOnSpawn, e.holds = a.prediction.by.Track(e.entity), false, 0
	*a.prediction.store.Confirmed(k.storeSlot) = rollback.Confirmed{Known: true}
	a.prediction.count++
	a.spawnTwin(s)
}

// visibleChanges gathers the changes of a member that go into the world at once. There are none if
// the game has despawned the entity ahead of the server. It also reports components of mode Once to
// the prediction, which belong to the game from then on.
func (a *Applier) visibleChanges(m *stagedMember, values []stagedValue) (shown stagedMember) {
	p, at := &a.prediction, a.Replicas.Info[m.slot].storeSlot
	p.shown = p.shown[:0]
	disabled := at != 0 && p.by.IsDisabled(at)
	for comp := range m.removed.All() {
		if at != 0 && a.comps[comp].recordsOnce() {
			p.by.RemoveOnce(at, comp)
		}
		if a.comps[comp].followsServer() && !disabled {
			shown.removed.Set(comp)
		}
	}
	for _, v := range values {
		if !a.writesAtOnce(at, v.comp) {
			continue
		}
		if at != 0 && a.comps[v.comp].recordsOnce() {
			p.by.InsertOnce(at, v.comp, a.stage.buf[v.at:v.at+a.comps[v.comp].plan.Size()], v.target)
		}
		if !disabled {
			p.shown = append(p.shown, v)
		}
	}
	return shown
}

// writesAtOnce reports whether a value goes into the world at once. The slot is 0 for an entity that
// appears.
func (a *Applier) writesAtOnce(at rollback.Slot, comp int) bool {
	switch a.comps[comp].mode {
	case registry.Simple:
		return true
	case registry.Once:
		return at == 0 || !a.prediction.store.Confirmed(at).Mask.Has(comp)
	case registry.Full:
		return at == 0
	}
	return false
}

// confirmMember writes the confirmed state of a member to the store.
func (a *Applier) confirmMember(m *stagedMember, values []stagedValue) {
	k := &a.Replicas.Info[m.slot]
	state := a.prediction.store.Confirmed(k.storeSlot)
	for comp := range m.removed.All() {
		if a.comps[comp].relation && state.Mask.Has(comp) {
			state.Target = 0
		}
		state.Mask.Clear(comp)
	}
	for i := range values {
		a.confirmValue(m.slot, state, &values[i])
	}
	state.Tick = a.stage.tick
	a.samplePredicted(m.slot, state.Tick)
	if a.allowConfirmed(m.slot) {
		a.prediction.by.Confirmed(k.storeSlot)
	}
}

func (a *Applier) confirmValue(s repl.Slot, state *rollback.Confirmed, v *stagedValue) {
	value := a.prediction.store.ConfirmedValue(a.Replicas.Info[s].storeSlot, v.comp)
	staged := a.stage.buf[v.at : v.at+a.comps[v.comp].plan.Size()]
	v.there = state.Mask.Has(v.comp)
	v.same = v.there && bytes.Equal(value[:len(staged)], staged)
	copy(value, staged)
	state.Mask.Set(v.comp)
	if a.comps[v.comp].relation {
		target := a.resolveTarget(a.Replicas.entities[s].entity, v.target)
		v.same = v.same && state.Target == columns.PackEntity(target)
		a.setConfirmedTarget(s, target)
	}
}

// setPredictedRef sets a reference that waited in the confirmed state of a predicted entity.
func (a *Applier) setPredictedRef(ref *refs.LateRef, to ecs.Entity) bool {
	at := a.Replicas.Info[ref.Holder.Slot].storeSlot
	if !a.prediction.store.Confirmed(at).Mask.Has(ref.Holder.Comp) {
		return false
	}
	set := false
	if ref.N == source.TargetRef {
		set = a.setTargetRef(ref, to)
	} else {
		set = a.setValueRef(ref, to)
	}
	if set {
		a.prediction.by.Confirmed(at)
	}
	return set
}

// setTargetRef sets the target of a relation. It also sets it in the world if the component follows
// the server and the game has not changed the target.
func (a *Applier) setTargetRef(ref *refs.LateRef, to ecs.Entity) bool {
	k, comp, e := &a.Replicas.Info[ref.Holder.Slot], &a.comps[ref.Holder.Comp], a.Replicas.entities[ref.Holder.Slot].entity
	state := a.prediction.store.Confirmed(k.storeSlot)
	was, to := columns.UnpackEntity(state.Target), a.resolveTarget(e, to)
	if comp.followsServer() && a.world.Has(e, comp.id) && a.world.Relations().Get(e, comp.id) == was {
		a.setTarget(e, comp.id, to)
	}
	a.setConfirmedTarget(ref.Holder.Slot, to)
	a.setTwinTarget(ref.Holder.Slot, comp, to)
	return was != to && a.allowConfirmed(ref.Holder.Slot)
}

// setValueRef is setTargetRef for a reference in a value.
func (a *Applier) setValueRef(ref *refs.LateRef, to ecs.Entity) bool {
	k, comp, e := &a.Replicas.Info[ref.Holder.Slot], &a.comps[ref.Holder.Comp], a.Replicas.entities[ref.Holder.Slot].entity
	value := a.prediction.store.ConfirmedValue(k.storeSlot, comp.number)
	follows := comp.followsServer() && a.world.Has(e, comp.id) && bytes.Equal(value, a.writer.Bytes(e, comp.id))
	if !comp.plan.SetRef(value, ref.N, to) {
		return false
	}
	if follows {
		copy(a.writer.Bytes(e, comp.id), value)
		if comp.recordsOnce() {
			a.prediction.by.InsertOnce(k.storeSlot, comp.number, value, a.confirmedTarget(ref.Holder.Slot, comp.number))
		}
	}
	a.copyToTwin(ref.Holder.Slot, comp)
	return true
}
