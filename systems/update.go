package systems

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

var _ receiver.Updater = (*Copy)(nil)

// atOnce is how many components an update may have that is decoded in one call.
// It is more than change together as a rule, and little enough for the stack.
const atOnce = 8

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
	if len(c.updating) > atOnce || !c.world.Alive(e.entity) {
		return c.updateStaged(slot, tick, r, refs)
	}
	var room [atOnce]*byte // not in the Copy: a pointer on the heap is work for the collector
	places := room[:len(c.updating)]
	for i, comp := range c.updating {
		if places[i] = comp.cells.At(e.entity); places[i] == nil {
			return c.updateStaged(slot, tick, r, refs)
		}
	}
	c.refs.refs = refs
	for i, comp := range c.updating {
		into := comp.cells.Bytes(places[i])
		copy(comp.value, into)
		if err := comp.plan.Decode(r, into, &c.refs); err != nil {
			c.undo(places[:i+1])
			return err
		}
	}
	e.tick = tick
	for _, comp := range c.updating {
		comp.events.Updated(e.entity)
	}
	return nil
}

// undo puts back what was in the first places of the update at hand.
func (c *Copy) undo(places []*byte) {
	for i, place := range places {
		comp := c.updating[i]
		copy(comp.cells.Bytes(place), comp.value)
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
