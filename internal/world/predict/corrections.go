package predict

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
	"github.com/entangle-ecs/entangle/internal/world/event"
)

// corrections finds which values of the present a rollback has corrected. It takes the values from
// before the rollback out of the histories. The structure from before the rollback is in
// entities.before.
type corrections struct {
	*entities
	stats *PredictionStats

	held       bool             // the values before are kept
	correction event.Correction // scratch
}

// keepValues keeps the present values, if the world is at the present tick and the histories hold
// it. If ticks are replayed, it takes the values out of the histories; otherwise it copies them.
func (c *corrections) keepValues(replayed bool) {
	tick := c.progress.worldTick
	if c.held = tick == c.progress.present() && c.store.Holds(tick); !c.held {
		return
	}
	c.before.round++
	for _, slot := range c.arrived { // they arrived in this frame, so no value of them was shown
		c.before.endSlot(slot)
	}
	if replayed {
		c.store.Shelve(tick)
	} else {
		c.store.ShelveCopy(tick)
	}
}

// report reports every value that differs from the one that was kept.
func (c *corrections) report() {
	if !c.held {
		return
	}
	at, cols := c.progress.worldTick, c.used.And(c.modes.full)
	for col := range cols.All() {
		if c.cols[col].size > 0 {
			c.store.EachUnlike(at, col, func(slot rollback.Slot, was, is []byte) { c.reportValue(slot, col, at, was, is) })
		}
	}
}

// reportValue reports a value with changed bytes, unless both values have the same encoding on the
// wire.
func (c *corrections) reportValue(slot rollback.Slot, col int, at entangle.Tick, was, is []byte) {
	if !c.forms[slot].Mask.Has(col) || !c.before.had(slot, col) || c.equal(col, was, is) {
		return
	}
	c.stats.Corrections++
	c.correction = event.Correction{Entity: c.entity(slot), Tick: at, Before: was, After: is}
	c.cols[col].events.Corrected(&c.correction)
}
