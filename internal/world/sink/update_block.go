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

// updateBlock holds the buffers of UpdateBlock.
type updateBlock struct {
	entities [wire.MaxShortRun]ecs.Entity
	found    columns.Stretch
	values   wire.ShortRun
	remote   columns.Cells
}

// UpdateBlock implements receiver.Updater. Most values are checked, and then written column by column,
// for stretches of entities. Differences, values with references and those of codecs are applied one
// by one.
func (a *Applier) UpdateBlock(slots []repl.Slot, before []entangle.Tick, tick entangle.Tick, comps *set.Mask, r *bits.Reader, refs receiver.Refs) (n int, err error) {
	if *comps != a.sets.now.set {
		a.chooseSet(comps)
	}
	a.block.values.Plans = a.sets.now.shorts
	for n < len(slots) {
		if taken, err := a.updateShorts(slots[n:], before[n:], tick, r); err != nil || taken > 0 {
			if n += taken; err != nil {
				return n, err
			}
			continue
		}
		begun := *r
		a.diffs.history.Begin()
		if err := a.updateOne(slots[n], before[n], tick, r, refs); err != nil {
			*r = begun
			return n, err
		}
		n++
	}
	return n, nil
}

// updateShorts applies the updates of the first slots, as far as their values can be decoded together and
// the game has not changed their components. If the first entities are predicted it takes only those.
func (a *Applier) updateShorts(slots []repl.Slot, before []entangle.Tick, tick entangle.Tick, r *bits.Reader) (n int, err error) {
	block, now := &a.block, &a.sets.now
	if len(now.shorts) == 0 {
		return 0, nil
	}
	slots = slots[:min(len(slots), block.values.Length(r))]
	placed, bit := a.Replicas.entities, now.bit
	entities := block.entities[:min(len(slots), len(block.entities))]
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
			return a.updateInterpolatedBlock(slots, before, tick, r)
		}
		return a.updatePredictedBlock(slots, tick, r)
	}
	n, err = a.readBlock(entities, r)
	for _, slot := range slots[:n] {
		placed[slot].tick = tick
	}
	a.raiseBlock(entities[:n])
	return n, err
}

// raiseBlock raises the events of a block, one entity after the other.
func (a *Applier) raiseBlock(entities []ecs.Entity) {
	if !slices.ContainsFunc(a.sets.now.comps, func(c *component) bool { return c.events.ReadsUpdates() }) {
		return
	}
	for _, e := range entities {
		for _, comp := range a.sets.now.comps {
			comp.events.Updated(e)
		}
	}
}

// findBlock finds the memory of the values of a block's entities, and returns how many of the entities
// have all of them.
func (a *Applier) findBlock(entities []ecs.Entity) (n int) {
	found := &a.block.found
	n = found.Find(&a.block.remote, entities)
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

// readBlock decodes the values of entities into the world, and returns for how many.
func (a *Applier) readBlock(entities []ecs.Entity, r *bits.Reader) (n int, err error) {
	if n = a.findBlock(entities); n == 0 {
		return 0, nil
	}
	block, now := &a.block, &a.sets.now
	n, err = block.values.Read(r, n)
	for i, comp := range now.comps {
		first := comp.cells.At(entities[0])
		switch {
		case block.found.Straight:
			block.values.PutRow(i, first, n)
		case block.found.Others == 0:
			block.values.Put(i, first, block.found.Rows[:n])
		default:
			for record, e := range entities[:n] {
				block.values.PutOne(i, record, comp.cells.At(e))
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
