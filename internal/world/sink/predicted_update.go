package sink

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// updateAhead is UpdateAll for a predicted entity: the values are decoded directly into the store.
func (c *Copy) updateAhead(slot repl.Slot, tick entangle.Tick, r *bits.Reader, refs receiver.Refs) error {
	e, now := &c.entities[slot], &c.choices.now
	if now.staged || !c.world.Alive(e.entity) {
		return c.updateStaged(slot, tick, r, refs)
	}
	var places [atOnce]*byte
	for i, comp := range now.comps {
		places[i&(atOnce-1)] = c.placeAhead(c.Known[slot].slot, comp)
	}
	if len(now.shorts) > 0 {
		if err := wire.DecodeShorts(now.shorts, r, &places); err != nil {
			return err
		}
		c.updatedAhead(slot, tick)
		return nil
	}
	return c.updateLongAhead(slot, tick, places[:len(now.comps)], r, refs)
}

// updateLongAhead is updateAhead for any values.
func (c *Copy) updateLongAhead(slot repl.Slot, tick entangle.Tick, places []*byte, r *bits.Reader, refs receiver.Refs) error {
	c.late.Tick = tick
	if err := c.decodeAll(slot, places, r, refs); err != nil {
		return err
	}
	if c.entities[slot].waits > 0 || len(c.late.Found) > 0 {
		c.updateLate(slot)
	}
	for i, comp := range c.choices.now.comps {
		c.learn(slot, comp.number, comp.cells.Bytes(places[i]), false)
	}
	c.updatedAhead(slot, tick)
	return nil
}

// tagPlace is the address of the values of tags, which have no memory in the store.
var tagPlace byte

// placeAhead returns the address of a value in the store.
func (c *Copy) placeAhead(at rollback.Slot, comp *copied) *byte {
	value := c.ahead.store.ConfirmedValue(at, comp.number)
	if len(value) == 0 {
		return &tagPlace
	}
	return &value[0]
}

// updatedAhead does the rest of an update after its values are in the store.
func (c *Copy) updatedAhead(slot repl.Slot, tick entangle.Tick) {
	k, now := &c.Known[slot], &c.choices.now
	word := c.ahead.store.Confirmed(k.slot)
	c.ahead.by.Updated(k.slot, tick)
	if !word.Mask.Holds(&now.set) { // the game had removed one before the entity became predicted
		for _, comp := range now.comps {
			word.Mask.Set(comp.number)
		}
		c.ahead.by.Confirmed(k.slot)
	}
	c.entities[slot].tick = tick
	if len(now.simple) > 0 && !c.ahead.by.IsDisabled(k.slot) {
		c.followAll(slot)
	}
	if !k.twin.IsZero() {
		c.updateTwin(slot)
	}
	for _, comp := range now.comps {
		comp.events.Updated(c.entities[slot].entity)
	}
}

// followAll copies the values of the current update that follow the server directly into the world.
func (c *Copy) followAll(slot repl.Slot) {
	e, st := c.entities[slot].entity, &c.stage
	for _, comp := range c.choices.now.simple {
		place := comp.cells.At(e)
		if place == nil { // the game has removed it
			st.add = append(st.add[:0], comp.id)
			c.writer.Exchange(e, st.add, nil, nil)
			place = comp.cells.At(e)
		}
		copy(comp.cells.Bytes(place), c.ahead.store.ConfirmedValue(c.Known[slot].slot, comp.number))
	}
}

// updateRunAhead is UpdateRun for the predicted entities at the beginning of a run.
func (c *Copy) updateRunAhead(slots []repl.Slot, like *receiver.Alike, r *bits.Reader) (n int, err error) {
	slots = slots[:c.leadAhead(slots)]
	if len(slots) == 0 {
		return 0, nil
	}
	values, now := &c.run.values, &c.choices.now
	n, err = values.Read(r, len(slots))
	for i, comp := range now.comps {
		if comp.plan.Size() == 0 {
			continue
		}
		for record, slot := range slots[:n] {
			values.PutOne(i, record, c.placeAhead(c.Known[slot].slot, comp))
		}
	}
	for _, slot := range slots[:n] {
		c.updatedAhead(slot, like.Tick)
	}
	return n, err
}

// leadAhead returns how many of the first slots of a run are predicted.
func (c *Copy) leadAhead(slots []repl.Slot) (n int) {
	if c.ahead.count == 0 {
		return 0
	}
	for n < min(len(slots), wire.MaxShortRun) && c.foresees(slots[n]) && c.Known[slots[n]].mask.Holds(&c.choices.now.set) {
		n++
	}
	return n
}
