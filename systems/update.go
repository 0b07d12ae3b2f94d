package systems

import (
	mathbits "math/bits"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

var _ receiver.Updater = (*Copy)(nil)

// UpdateAll implements receiver.Updater. All values are decoded before the first
// is written, so that a malformed one leaves the entity as it was.
func (c *Copy) UpdateAll(slot repl.Slot, tick entangle.Tick, set *repl.Mask, r *bits.Reader, refs receiver.Refs) error {
	e := &c.entities[slot]
	if !c.choose(set, &e.mask) {
		return errNotThere
	}
	if !c.reach(e.entity) {
		return c.updateStaged(slot, tick, r, refs)
	}
	c.refs.refs = refs
	for _, comp := range c.updating {
		if err := comp.plan.Decode(r, comp.value, &c.refs); err != nil {
			return err
		}
	}
	e.tick = tick
	for _, comp := range c.updating {
		copy(comp.into, comp.value)
	}
	for _, comp := range c.updating {
		comp.events.Updated(e.entity)
	}
	return nil
}

// choose makes a set the update at hand. It reports false if an entity with the
// components had does not have all of them.
func (c *Copy) choose(set, had *repl.Mask) bool {
	c.updating = c.updating[:0]
	for i, word := range set {
		if word&^had[i] != 0 {
			return false
		}
		for ; word != 0; word &= word - 1 {
			c.updating = append(c.updating, &c.comps[i<<6+mathbits.TrailingZeros64(word)])
		}
	}
	return true
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
