package sink

import (
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/protocol/bits"
	"github.com/mlange-42/arche/ecs"
)

var _ receiver.RunUpdater = (*Copy)(nil)

// updateRun holds the buffers of UpdateRun.
type updateRun struct {
	entities [wire.MaxShortRun]ecs.Entity
	found    columns.Stretch
	values   wire.ShortRun
}

// RunLength implements receiver.RunUpdater for values that are short codes. All others are left to
// UpdateAll.
func (c *Copy) RunLength(like *receiver.Alike, r *bits.Reader) int {
	if like.Set != c.choices.now.set {
		c.choose(&like.Set)
	}
	if len(c.choices.now.shorts) == 0 {
		return 0
	}
	values := &c.run.values
	values.Plans, values.Head, values.HeadBits = c.choices.now.shorts, like.Head, like.HeadBits
	return values.Length(r)
}

// UpdateRun implements receiver.RunUpdater for entities with components that the game has not
// changed. It stops before any other entity.
func (c *Copy) UpdateRun(slots []repl.Slot, like *receiver.Alike, r *bits.Reader) (n int, err error) {
	run, now := &c.run, &c.choices.now
	placed, bit := c.entities, now.bit
	entities := run.entities[:min(len(slots), len(run.entities))]
	for i, slot := range slots[:len(entities)] {
		e := &placed[slot]
		if e.holds&bit == 0 && (!c.holdsChoice(slot) || c.Known[slot].slot != 0) {
			entities = entities[:i]
			break
		}
		entities[i] = e.entity
	}
	if len(entities) == 0 {
		return c.updateRunAhead(slots, like, r)
	}
	n, err = c.readRun(entities, r)
	tick := like.Tick
	for _, slot := range slots[:n] {
		placed[slot].tick = tick
	}
	c.raiseRun(entities[:n])
	return n, err
}

// raiseRun raises the events of a run, one entity after the other.
func (c *Copy) raiseRun(entities []ecs.Entity) {
	heard := false
	for _, comp := range c.choices.now.comps {
		heard = heard || comp.events.OnUpdate != nil
	}
	if !heard {
		return
	}
	for _, e := range entities {
		for _, comp := range c.choices.now.comps {
			comp.events.Updated(e)
		}
	}
}

// findRun finds the memory of the values of a run's entities, and returns how many of the entities
// have all of them.
func (c *Copy) findRun(entities []ecs.Entity) (n int) {
	found := &c.run.found
	n = found.Find(&c.signed, entities)
	if n == 0 || !c.holdsAll(entities[0]) {
		return 0
	}
	if found.Others > 0 {
		for i, row := range found.Rows {
			if row == columns.Elsewhere && !c.holdsAll(entities[i]) {
				return i
			}
		}
	}
	return n
}

// readRun decodes the values of entities into the world, and returns for how many.
func (c *Copy) readRun(entities []ecs.Entity, r *bits.Reader) (n int, err error) {
	if n = c.findRun(entities); n == 0 {
		return 0, nil
	}
	run, now := &c.run, &c.choices.now
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
func (c *Copy) holdsAll(e ecs.Entity) bool {
	for _, comp := range c.choices.now.comps {
		if comp.cells.At(e) == nil {
			return false
		}
	}
	return true
}
