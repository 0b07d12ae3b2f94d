package sink

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/internal/world/refs"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

var _ receiver.Updater = (*Copy)(nil)

// atOnce is the largest number of components in an update that is decoded in one call. Usually
// fewer change together, and an array of this size fits on the stack.
const atOnce = wire.MaxShorts

// UpdateAll implements receiver.Updater. Most values are short codes, which are decoded directly
// into the world.
func (c *Copy) UpdateAll(slot repl.Slot, tick entangle.Tick, set *repl.Mask, r *bits.Reader, refs receiver.Refs) error {
	if *set != c.choices.now.set {
		c.choose(set)
	}
	e, now := &c.entities[slot], &c.choices.now
	if e.holds&now.bit == 0 {
		switch {
		case !c.holdsChoice(slot):
			return errNotThere
		case c.Known[slot].slot != 0:
			return c.updateAhead(slot, tick, r, refs)
		}
	}
	if len(now.shorts) == 0 || !c.world.Alive(e.entity) {
		return c.updateLong(slot, tick, r, refs)
	}
	var places [atOnce]*byte // on the stack: a pointer in the Copy would be work for the garbage collector
	for i, comp := range now.comps {
		place := comp.cells.At(e.entity)
		if place == nil {
			return c.updateStaged(slot, tick, r, refs)
		}
		places[i&(atOnce-1)] = place
	}
	if err := wire.DecodeShorts(now.shorts, r, &places); err != nil {
		return err
	}
	e.tick = tick
	for _, comp := range now.comps {
		comp.events.Updated(e.entity)
	}
	return nil
}

// updateLong is UpdateAll for any values. They are decoded directly into the world, which no other
// code reads before it returns. If a value is malformed, the old values are restored.
func (c *Copy) updateLong(slot repl.Slot, tick entangle.Tick, r *bits.Reader, refs receiver.Refs) error {
	e, now := &c.entities[slot], &c.choices.now
	if now.staged || !c.world.Alive(e.entity) {
		return c.updateStaged(slot, tick, r, refs)
	}
	var room [atOnce]*byte
	places := room[:len(now.comps)]
	for i, comp := range now.comps {
		if places[i] = comp.cells.At(e.entity); places[i] == nil {
			return c.updateStaged(slot, tick, r, refs)
		}
	}
	c.late.Tick = tick
	if err := c.decodeAll(slot, places, r, refs); err != nil {
		return err
	}
	e.tick = tick
	if e.waits > 0 || len(c.late.Found) > 0 {
		c.updateLate(slot)
	}
	for i, comp := range now.comps {
		c.learn(slot, comp.number, comp.cells.Bytes(places[i]), false)
	}
	for _, comp := range now.comps {
		comp.events.Updated(e.entity)
	}
	return nil
}

func (c *Copy) decodeAll(slot repl.Slot, places []*byte, r *bits.Reader, table receiver.Refs) error {
	c.refs.refs = table
	for i, comp := range c.choices.now.comps {
		into := comp.cells.Bytes(places[i])
		copy(comp.value, into)
		err := c.decodeOne(slot, comp, into, r)
		if len(c.refs.late) > 0 {
			c.findLate(refs.LateHolder{Slot: slot, Comp: comp.number}, into)
		}
		if err != nil {
			c.undo(places[:i+1])
			return err
		}
	}
	return nil
}

func (c *Copy) decodeOne(slot repl.Slot, comp *copied, into []byte, r *bits.Reader) error {
	if c.differs(comp.number) {
		return c.decodeFrom(into, r, slot, comp.number)
	}
	return comp.plan.Decode(r, into, &c.refs)
}

// undo restores the old values of the first places of the current update.
func (c *Copy) undo(places []*byte) {
	c.late.Found = c.late.Found[:0]
	for i, place := range places {
		comp := c.choices.now.comps[i]
		copy(comp.cells.Bytes(place), comp.value)
	}
}

// updateLate replaces the waiting references of the components in the current update by those that
// it has found.
func (c *Copy) updateLate(slot repl.Slot) {
	for _, comp := range c.choices.now.comps {
		c.forgetLate(slot, comp.number)
	}
	c.awaitLate()
}

// updateStaged is UpdateAll step by step, for an entity that the game has changed.
func (c *Copy) updateStaged(slot repl.Slot, tick entangle.Tick, r *bits.Reader, refs receiver.Refs) error {
	c.Begin(tick)
	c.Member(slot, false)
	for _, comp := range c.choices.now.comps {
		if err := c.Update(r, comp.number, refs); err != nil {
			c.Discard()
			return err
		}
	}
	c.Commit()
	return nil
}
