package sink

import (
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
	"github.com/mlange-42/arche/ecs"
)

// Predict sets whether an entity is predicted from the current record on. A receiver calls it
// between Begin and Commit.
func (a *Applier) Predict(slot repl.Slot, on bool) {
	if a.prediction.by != nil {
		a.prediction.changes = append(a.prediction.changes, predictionChange{slot, on})
	}
}

// applyPredictionChanges starts or ends the prediction of existing entities, as the current record
// says. It skips entities that the game has removed.
func (a *Applier) applyPredictionChanges() {
	for _, f := range a.prediction.changes {
		e := &a.Replicas.entities[f.slot]
		if !e.used || e.fresh || !a.world.Alive(e.entity) {
			continue
		}
		switch was := a.Replicas.Info[f.slot].storeSlot != 0; {
		case f.on && !was:
			a.startPrediction(f.slot)
		case !f.on && was:
			a.endPrediction(f.slot)
		}
	}
}

// startPrediction starts the prediction of an existing entity. The values that the entity has in the
// world stay as they are, and become its confirmed state as of the current record.
func (a *Applier) startPrediction(s repl.Slot) {
	interpolated := a.isInterpolated(s) && a.showPresent(s)
	e, st := a.Replicas.entities[s].entity, &a.stage
	if !a.world.Alive(e) {
		return // a listener of the game has removed it, as it may below
	}
	st.add, st.remove = st.add[:0], st.remove[:0]
	for _, id := range a.prediction.marks {
		if !a.world.Has(e, id) {
			st.add = append(st.add, id)
		}
	}
	if a.world.Has(e, a.remote) {
		st.remove = append(st.remove, a.remote)
	}
	if a.writer.Exchange(e, st.add, st.remove, nil); !a.world.Alive(e) {
		return
	}
	a.trackReplica(s)
	at := a.Replicas.Info[s].storeSlot
	state := a.prediction.store.Confirmed(at)
	for comp := range a.Replicas.Info[s].mask.All() {
		if id := a.comps[comp].id; a.world.Has(e, id) {
			state.Mask.Set(comp)
			copy(a.prediction.store.ConfirmedValue(at, comp), a.writer.Bytes(e, id))
			if a.comps[comp].relation {
				a.setConfirmedTarget(s, a.world.Relations().Get(e, id))
			}
		}
	}
	if interpolated { // the world does not have components.Interpolated any more
		in := &a.interpolation
		a.tell(s, inspect.InterpolationInterrupted, 0)
		state.Mask.Set(in.comp)
		copy(a.prediction.store.ConfirmedValue(at, in.comp), in.confirmed.value(a.Replicas.Info[s].snapshotSlot, in.comp))
		in.slots[a.Replicas.Info[s].snapshotSlot].has = state.Mask
	}
	state.Tick = st.tick
	a.writeTwin(a.Replicas.Info[s].twin, &stagedMember{}, a.stageConfirmed(s, state, &state.Mask))
	a.prediction.by.Confirmed(at)
}

// endPrediction ends the prediction of an entity and writes its confirmed state to the world.
func (a *Applier) endPrediction(s repl.Slot) {
	k, e, st := &a.Replicas.Info[s], a.Replicas.entities[s].entity, &a.stage
	at := k.storeSlot
	state := a.prediction.store.Confirmed(at)
	is, leftOut := state.Mask, set.Mask{} // the state ends below
	if k.snapshotSlot != 0 {
		leftOut = is.And(a.interpolation.leftOut)
		is = is.Without(leftOut)
	}
	m := stagedMember{slot: s}
	for comp := range a.comps {
		if !is.Has(comp) {
			m.removed.Set(comp)
		}
	}
	st.add, st.remove = st.add[:0], st.remove[:0]
	for _, id := range a.prediction.marks {
		if a.world.Has(e, id) {
			st.remove = append(st.remove, id)
		}
	}
	if !a.world.Has(e, a.remote) {
		st.add = append(st.add, a.remote)
	}
	if k.snapshotSlot != 0 {
		a.interpolatePredicted(s)
	}
	st.remoteAdded = true
	a.changeEntity(e, &m, a.stageConfirmed(s, state, &is))
	st.remoteAdded = false
	a.releasePrediction(s)
	if k.snapshotSlot != 0 {
		a.recordTarget(s, columns.UnpackEntity(state.Target))
	}
	a.prediction.by.Untrack(e, at)
	a.RaisePostponed()
	if k.snapshotSlot != 0 {
		a.comps[a.interpolation.comp].events.Inserted(e)
		for comp := range leftOut.All() {
			a.comps[comp].events.Removed(e)
		}
	}
}

// stageConfirmed stages the confirmed values of some components of an entity. Of an input, only its presence is staged.
func (a *Applier) stageConfirmed(s repl.Slot, state *rollback.Confirmed, comps *set.Mask) []stagedValue {
	p, st := &a.prediction, &a.stage
	p.shown = p.shown[:0]
	for comp := range comps.All() {
		size := a.comps[comp].plan.Size()
		v := stagedValue{comp: comp, at: st.reserve(size)}
		copy(st.buf[v.at:v.at+size], p.store.ConfirmedValue(a.Replicas.Info[s].storeSlot, comp))
		if a.comps[comp].relation {
			v.target = columns.UnpackEntity(state.Target)
		}
		p.shown = append(p.shown, v)
	}
	return p.shown
}

// releasePrediction releases the state that is kept for a predicted entity.
func (a *Applier) releasePrediction(s repl.Slot) {
	k := &a.Replicas.Info[s]
	if k.storeSlot == 0 {
		return
	}
	k.storeSlot = 0
	a.forgetConfirmedTarget(s)
	a.prediction.count--
	a.removeTwin(s)
}

// despawnPredicted hands an entity that the server despawned to the prediction, the present tick of
// which may be before or after that of the despawn.
func (a *Applier) despawnPredicted(s repl.Slot) {
	p, at := &a.prediction, a.Replicas.Info[s].storeSlot
	state := p.store.Confirmed(at)
	state.Gone, state.Tick = true, a.stage.tick
	e := a.removeReplica(s)
	p.gone[e] = at
	p.by.Confirmed(at)
	p.by.Gone(e, at, a.stage.tick)
}

// RemoveDespawned removes an entity that the server despawned while it was predicted from the
// world, unless the game did that already.
func (a *Applier) RemoveDespawned(e ecs.Entity) {
	if at, ok := a.prediction.gone[e]; ok {
		if a.world.Alive(e) { // otherwise its slot may belong to another entity
			a.keepConfirmed(e, at)
		}
		delete(a.prediction.gone, e)
	}
	a.despawnEntity(e)
}

// clearPrediction ends all prediction when the connection ends.
func (a *Applier) clearPrediction() {
	if a.prediction.by == nil {
		return
	}
	a.prediction.by.Clear()
	clear(a.prediction.gone)
}
