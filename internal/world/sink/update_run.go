package sink

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/protocol/bits"
	"github.com/mlange-42/arche/ecs"
)

var _ receiver.Updater = (*Applier)(nil)

// updateRun holds the buffers of UpdateRun.
type updateRun struct {
	entities [wire.MaxShortRun]ecs.Entity
	found    columns.Stretch
	values   wire.ShortRun
	remote   columns.Cells
}

// UpdateRun implements receiver.Updater. Most values are checked, and then written column by column,
// for stretches of entities. Differences, values with references and those of codecs are applied one
// by one.
func (a *Applier) UpdateRun(slots []repl.Slot, tick entangle.Tick, comps *set.Mask, r *bits.Reader, refs receiver.Refs) (n int, err error) {
	if *comps != a.sets.now.set {
		a.chooseSet(comps)
	}
	a.run.values.Plans = a.sets.now.shorts
	for n < len(slots) {
		if taken, err := a.updateShorts(slots[n:], tick, r); err != nil || taken > 0 {
			if n += taken; err != nil {
				return n, err
			}
			continue
		}
		begun := *r
		a.diffs.history.Begin()
		if err := a.updateOne(slots[n], tick, r, refs); err != nil {
			*r = begun
			return n, err
		}
		n++
	}
	return n, nil
}

// updateShorts applies the updates of the first slots, as far as their values can be decoded together and
// the game has not changed their components. If the first entities are predicted it takes only those.
func (a *Applier) updateShorts(slots []repl.Slot, tick entangle.Tick, r *bits.Reader) (n int, err error) {
	run, now := &a.run, &a.sets.now
	if len(now.shorts) == 0 {
		return 0, nil
	}
	slots = slots[:min(len(slots), run.values.Length(r))]
	placed, bit := a.Replicas.entities, now.bit
	entities := run.entities[:min(len(slots), len(run.entities))]
	for i, slot := range slots[:len(entities)] {
		e := &placed[slot]
		if e.holds&bit == 0 && (!a.holdsSet(slot) || a.Replicas.Info[slot].storeSlot != 0 || a.isInterpolated(slot)) {
			entities = entities[:i]
			break
		}
		entities[i] = e.entity
	}
	if len(entities) == 0 {
		if len(slots) > 0 && a.isInterpolated(slots[0]) {
			return a.updateInterpolatedRun(slots, tick, r)
		}
		return a.updatePredictedRun(slots, tick, r)
	}
	n, err = a.readRun(entities, r)
	for _, slot := range slots[:n] {
		placed[slot].tick = tick
	}
	a.raiseRun(entities[:n])
	return n, err
}

// raiseRun raises the events of a run, one entity after the other.
func (a *Applier) raiseRun(entities []ecs.Entity) {
	if !slices.ContainsFunc(a.sets.now.comps, func(c *component) bool { return c.events.ReadsUpdates() }) {
		return
	}
	for _, e := range entities {
		for _, comp := range a.sets.now.comps {
			comp.events.Updated(e)
		}
	}
}

// findRun finds the memory of the values of a run's entities, and returns how many of the entities
// have all of them.
func (a *Applier) findRun(entities []ecs.Entity) (n int) {
	found := &a.run.found
	n = found.Find(&a.run.remote, entities)
	if n == 0 || !a.holdsAll(entities[0]) {
		return 0
	}
	if found.Others > 0 {
		for i, row := range found.Rows {
			if row == columns.Elsewhere && !a.holdsAll(entities[i]) {
				return i
			}
		}
	}
	return n
}

// readRun decodes the values of entities into the world, and returns for how many.
func (a *Applier) readRun(entities []ecs.Entity, r *bits.Reader) (n int, err error) {
	if n = a.findRun(entities); n == 0 {
		return 0, nil
	}
	run, now := &a.run, &a.sets.now
	n, err = run.values.Read(r, n)
	for i, comp := range now.comps {
		first := comp.cells.At(entities[0])
		switch {
		case run.found.Straight:
			run.values.PutRow(i, first, n)
		case run.found.Others == 0:
			run.values.Put(i, first, run.found.Rows[:n])
		default:
			for record, e := range entities[:n] {
				run.values.PutOne(i, record, comp.cells.At(e))
			}
		}
	}
	return n, err
}

// holdsAll reports whether an entity that is alive has all components of the current set: the game
// may have removed one.
func (a *Applier) holdsAll(e ecs.Entity) bool {
	for _, comp := range a.sets.now.comps {
		if comp.cells.At(e) == nil {
			return false
		}
	}
	return true
}
