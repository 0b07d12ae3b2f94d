package source

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/mlange-42/arche/ecs"
)

// teleports tells clients which entities must not be shown on a way between two values: it counts the teleports
// of each entity in components.Interpolated, which is sent with the values of the same tick.
type teleports struct {
	marked []ecs.Entity // since the last tick
	counts []uint8      // by slot; they wrap around
}

// Teleport marks the values that an entity has at the end of this tick as not reached on a way. It has no effect
// on an entity that no client interpolates, that is paused, or that appears in this tick.
func (c *Collector) Teleport(e ecs.Entity) {
	if c.Visibility.Interpolations.comp >= 0 {
		c.teleports.marked = append(c.teleports.marked, e)
	}
}

// applyTeleports counts the teleports of this tick, one for each entity.
func (c *Collector) applyTeleports() {
	t, sent := &c.teleports, &c.Visibility.Interpolations.sent
	c.slots = c.slots[:0]
	for _, e := range t.marked {
		if s, ok := c.Slot(e); ok && sent.Has(int(s)) && !c.Paused.Has(int(s)) {
			c.slots = append(c.slots, s)
		}
	}
	t.marked = t.marked[:0]
	if len(c.slots) == 0 {
		return
	}
	slices.Sort(c.slots)
	c.slots = slices.Compact(c.slots)
	for _, s := range c.slots {
		for len(t.counts) <= int(s) {
			t.counts = append(t.counts, 0)
		}
		t.counts[s]++
	}
	c.World.Change(c.Visibility.Interpolations.comp, c.slots)
}

// of returns the number of teleports of an entity.
func (t *teleports) of(s repl.Slot) uint8 {
	if int(s) >= len(t.counts) {
		return 0
	}
	return t.counts[s]
}

// forget removes a despawned entity.
func (t *teleports) forget(s repl.Slot) {
	if int(s) < len(t.counts) {
		t.counts[s] = 0
	}
}

// Teleports returns how often an entity has been teleported, as its clients are told: the number wraps around.
func (c *Collector) Teleports(e ecs.Entity) uint8 {
	s, ok := c.Slot(e)
	if !ok {
		return 0
	}
	return c.teleports.of(s)
}
