package source

import (
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// updateRates passes the rate and the priority of each group to the sender, where a Replicate is
// new or changed.
func (c *Collector) updateRates() {
	for _, all := range [3][]columns.Slot{c.Table.Spawned(), c.Table.MarkerChanged(), c.Table.Resumed()} {
		for _, s := range all {
			c.updateRate(repl.Slot(s))
		}
	}
	for _, s := range c.Hierarchy.changed() {
		c.updateRate(s)
	}
}

func (c *Collector) updateRate(s repl.Slot) {
	marker, e := c.Hierarchy.settings(s), c.Table.Entity(columns.Slot(s))
	c.World.SetRate(s, c.warnings.rateOf(&marker, e))
	c.checkTarget(marker.Target, e)
}
