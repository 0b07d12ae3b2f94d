package systems

import (
	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

var _ receiver.Updater = (*Copy)(nil)

// UpdateAll implements receiver.Updater. Values are decoded right into the world,
// where nobody looks before it returns; what was there is put back if one of them
// is malformed.
func (c *Copy) UpdateAll(slot repl.Slot, tick entangle.Tick, set *repl.Mask, r *bits.Reader, refs receiver.Refs) error {
	e := &c.entities[slot]
	if !e.mask.Holds(set) {
		return errNotThere
	}
	if *set != c.updates {
		c.choose(set)
	}
	if !c.reach(e.entity) {
		return c.updateStaged(slot, tick, r, refs)
	}
	c.refs.refs = refs
	for i, comp := range c.updating {
		copy(comp.value, comp.into)
		if err := comp.plan.Decode(r, comp.into, &c.refs); err != nil {
			c.undo(i + 1)
			return err
		}
	}
	e.tick = tick
	for _, comp := range c.updating {
		comp.events.Updated(e.entity)
	}
	return nil
}

// undo puts back what the first n components of the update at hand held.
func (c *Copy) undo(n int) {
	for _, comp := range c.updating[:n] {
		copy(comp.into, comp.value)
	}
}

// choose makes a set the update at hand. Most updates are of the same set as the
// one before.
func (c *Copy) choose(set *repl.Mask) {
	c.updates, c.updating = *set, c.updating[:0]
	for comp := set.Next(0); comp >= 0; comp = set.Next(comp + 1) {
		c.updating = append(c.updating, &c.comps[comp])
	}
}

// reach finds where the components of the update at hand lie in the world. It
// reports false if the entity does not have all of them: the game has changed its
// structure.
func (c *Copy) reach(e ecs.Entity) bool {
	if !c.world.Alive(e) {
		return false
	}
	ok := true
	for _, comp := range c.updating {
		comp.into = comp.cells.At(e)
		ok = ok && comp.into != nil
	}
	return ok
}

// updateStaged is UpdateAll step by step, for an entity that the game has changed.
func (c *Copy) updateStaged(slot repl.Slot, tick entangle.Tick, r *bits.Reader, refs receiver.Refs) error {
	c.Begin(tick)
	c.Member(slot, false)
	for _, comp := range c.updating {
		if err := c.Update(r, comp.number, refs); err != nil {
			c.Discard()
			return err
		}
	}
	c.Commit()
	return nil
}
