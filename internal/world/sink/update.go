package sink

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/internal/world/refs"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// atOnce is the largest number of components in an update that is decoded directly. Usually fewer
// change together, and an array of this size fits on the stack.
const atOnce = wire.MaxShorts

// updateOne applies the update of one entity. The values are decoded directly into the world, or into
// the store of a predicted entity, which no other code reads before it returns. If a value is malformed,
// the old values are restored.
func (a *Applier) updateOne(slot repl.Slot, before, tick entangle.Tick, r *bits.Reader, refs receiver.Refs) error {
	e, now := &a.Replicas.entities[slot], &a.sets.now
	switch {
	case e.holds&now.bit == 0 && !a.holdsSet(slot): // a predicted entity never has the bit; see holdsSet
		return errNotThere
	case now.staged || !a.world.Alive(e.entity):
		return a.updateStaged(slot, before, tick, r, refs)
	}
	var room [atOnce]*byte // on the stack: a pointer in the Applier would be work for the garbage collector
	places, predicted := room[:len(now.comps)], a.Replicas.Info[slot].storeSlot != 0
	interpolated := a.isInterpolated(slot)
	for i, comp := range now.comps {
		if predicted {
			places[i] = a.prediction.storePlace(a.Replicas.Info[slot].storeSlot, comp)
		} else if interpolated {
			places[i] = a.interpolation.confirmed.place(a.Replicas.Info[slot].snapshotSlot, comp.number)
		} else if places[i] = comp.cells.At(e.entity); places[i] == nil {
			return a.updateStaged(slot, before, tick, r, refs)
		}
	}
	if err := a.decodeAll(slot, places, r, refs); err != nil {
		return err
	}
	if e.waits > 0 || len(a.refs.late.Found) > 0 {
		a.updateLate(slot)
	}
	for i, comp := range now.comps {
		a.diffs.recordValue(slot, comp.number, comp.cells.Bytes(places[i]), false)
	}
	if interpolated {
		a.finishInterpolated(slot, before, tick)
		return nil
	}
	if a.interpolation.hidden > 0 {
		a.hideUpdated(slot, places)
	}
	if predicted {
		a.finishPredicted(slot, tick)
		return nil
	}
	e.tick = tick
	for _, comp := range now.comps {
		comp.events.Updated(e.entity)
	}
	return nil
}

func (a *Applier) decodeAll(slot repl.Slot, places []*byte, r *bits.Reader, table receiver.Refs) error {
	a.refs.table = table
	for i, comp := range a.sets.now.comps {
		into := comp.cells.Bytes(places[i])
		copy(comp.value, into)
		err := a.decodeOne(slot, comp, into, r)
		if len(a.refs.pending) > 0 {
			a.refs.recordLate(refs.LateHolder{Slot: slot, Comp: comp.number}, comp.plan, into)
		}
		if err != nil {
			a.restoreValues(places[:i+1])
			return err
		}
	}
	return nil
}

func (a *Applier) decodeOne(slot repl.Slot, comp *component, into []byte, r *bits.Reader) error {
	if a.diffs.differs(comp.number) {
		return a.diffs.decodeFrom(comp.plan, into, r, slot, comp.number)
	}
	return comp.plan.Decode(r, into, &a.refs)
}

// restoreValues restores the old values of the first places of the current update.
func (a *Applier) restoreValues(places []*byte) {
	a.refs.late.Found = a.refs.late.Found[:0]
	for i, place := range places {
		comp := a.sets.now.comps[i]
		copy(comp.cells.Bytes(place), comp.value)
	}
}

// updateLate replaces the waiting references of the components in the current update by those that
// it has found.
func (a *Applier) updateLate(slot repl.Slot) {
	for _, comp := range a.sets.now.comps {
		a.refs.forgetLate(slot, comp.number)
	}
	a.refs.awaitFound()
}

// updateStaged applies an update step by step, for an entity that the game has changed.
func (a *Applier) updateStaged(slot repl.Slot, before, tick entangle.Tick, r *bits.Reader, refs receiver.Refs) error {
	a.Begin(tick, before)
	a.Member(slot, false)
	for _, comp := range a.sets.now.comps {
		if err := a.Update(r, comp.number, refs); err != nil {
			a.Discard()
			return err
		}
	}
	a.Commit()
	return nil
}
