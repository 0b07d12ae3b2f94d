package sink

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// tagPlace is the address of the values of tags, which have no memory in the store.
var tagPlace byte

// storePlace returns the address of a value in the store.
func (p *prediction) storePlace(at rollback.Slot, comp *component) *byte {
	value := p.store.ConfirmedValue(at, comp.number)
	if len(value) == 0 {
		return &tagPlace
	}
	return &value[0]
}

// finishPredicted does the rest of an update after its values are in the store.
func (a *Applier) finishPredicted(slot repl.Slot, tick entangle.Tick) {
	k, now := &a.Replicas.Info[slot], &a.sets.now
	state := a.prediction.store.Confirmed(k.storeSlot)
	a.prediction.by.Updated(k.storeSlot, tick)
	if !state.Mask.Holds(&now.set) { // the game had removed one before the entity became predicted
		for _, comp := range now.comps {
			state.Mask.Set(comp.number)
		}
		a.prediction.by.Confirmed(k.storeSlot)
	}
	a.Replicas.entities[slot].tick = tick
	if k.snapshotSlot != 0 {
		a.samplePredicted(slot, tick)
	}
	if !k.twin.IsZero() {
		a.updateTwin(slot)
	}
	if a.prediction.by.IsDisabled(k.storeSlot) {
		a.postponeEvents(slot, k.mask, now.set)
		return
	}
	if len(now.simple) > 0 {
		a.writeSimple(slot)
	}
	for _, comp := range now.comps {
		if comp.number != a.interpolation.comp {
			comp.events.Updated(a.Replicas.entities[slot].entity)
		}
	}
}

// writeSimple copies the values of the current update that follow the server directly into the
// world.
func (a *Applier) writeSimple(slot repl.Slot) {
	e, st := a.Replicas.entities[slot].entity, &a.stage
	for _, comp := range a.sets.now.simple {
		place := comp.cells.At(e)
		if place == nil { // the game has removed it
			st.add = append(st.add[:0], comp.id)
			a.writer.Exchange(e, st.add, nil, nil)
			place = comp.cells.At(e)
		}
		copy(comp.cells.Bytes(place), a.prediction.store.ConfirmedValue(a.Replicas.Info[slot].storeSlot, comp.number))
	}
}

// updatePredictedBlock is updateShorts for the predicted entities at the beginning of a run.
func (a *Applier) updatePredictedBlock(slots []repl.Slot, tick entangle.Tick, r *bits.Reader) (n int, err error) {
	slots = slots[:a.leadingPredicted(slots)]
	if len(slots) == 0 {
		return 0, nil
	}
	values, now := &a.block.values, &a.sets.now
	n, err = values.Read(r, len(slots))
	for i, comp := range now.comps {
		if comp.plan.Size() == 0 {
			continue
		}
		for record, slot := range slots[:n] {
			values.PutOne(i, record, a.prediction.storePlace(a.Replicas.Info[slot].storeSlot, comp))
		}
	}
	for _, slot := range slots[:n] {
		a.finishPredicted(slot, tick)
	}
	return n, err
}

// leadingPredicted returns how many of the first slots of a run are predicted.
func (a *Applier) leadingPredicted(slots []repl.Slot) (n int) {
	if a.prediction.count == 0 {
		return 0
	}
	for n < min(len(slots), wire.MaxShortRun) && a.isPredicted(slots[n]) && a.Replicas.Info[slots[n]].mask.Holds(&a.sets.now.set) {
		n++
	}
	return n
}
