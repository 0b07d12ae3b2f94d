package source

import (
	"fmt"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/delta"
	"github.com/entangle-ecs/entangle/internal/core/repl/encode"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/internal/wire/stepcode"
	"github.com/entangle-ecs/entangle/internal/world/refs"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// NewHistory keeps the history of the components registered with Delta. A relation, or a component
// with entity references, is always sent whole: its references may be filled in late, which no
// history records.
func NewHistory(infos []*registry.Component) refs.Past {
	p := refs.Past{Of: make([]*delta.History, len(infos)), Trails: make([]stepcode.Trail, len(infos))}
	for i, info := range infos {
		if !info.Delta || info.Plan.HasRefs() || info.Relation {
			continue
		}
		p.Of[i] = delta.NewHistory(info.Plan.Size())
		p.Deltas.Set(i)
		if info.Motion {
			p.Moving.Set(i)
		}
	}
	return p
}

var _ encode.Differ = (*Collector)(nil)

// Deltas implements encode.Differ.
func (c *Collector) Deltas() (all, moving set.Mask) { return c.history.Deltas, c.history.Moving }

// BeginRecord implements encode.Differ.
func (c *Collector) BeginRecord() { c.history.Begin() }

// EncodeFrom implements encode.Differ.
func (c *Collector) EncodeFrom(w *bits.Writer, slot repl.Slot, comp int, tick entangle.Tick, from repl.From, table *repl.RefTable) (lo, hi entangle.Tick) {
	lo, hi, ok := c.history.Find(slot, comp, tick, from)
	if !ok {
		panic(fmt.Sprintf("source: tick %d: an update of component %d from tick %d, of which there is no history", tick, comp, from.Base))
	}
	c.refs.indexes = table
	c.countClamped(slot, comp, c.Sent.Plans[comp].EncodeDelta(w, &c.history.Bases, c.valueOf(slot, comp), &c.refs))
	return lo, hi
}

// recordHistory records the values at a tick of the components that are sent as differences.
func (c *Collector) recordHistory(tick entangle.Tick) {
	if c.history.Deltas.IsZero() {
		return
	}
	for _, s := range c.Table.Despawned() {
		c.history.Forget(repl.Slot(s))
	}
	for _, s := range c.Table.Spawned() {
		c.history.Forget(repl.Slot(s))
		c.recordEntity(s, c.Sent.Numbers(c.Table.Mask(s)), tick)
	}
	for _, s := range c.Table.Resumed() {
		c.recordEntity(s, c.Sent.Numbers(c.Table.Mask(s)), tick)
	}
	for _, change := range c.Table.Structure() {
		c.recordEntity(change.Slot, c.Sent.Numbers(change.Inserted), tick)
	}
	for comp := c.history.Deltas.Next(0); comp >= 0; comp = c.history.Deltas.Next(comp + 1) {
		for _, s := range c.Table.Changed(comp) {
			c.history.Of[comp].Set(repl.Slot(s), tick, c.Table.Value(s, comp))
		}
	}
}

func (c *Collector) recordEntity(s columns.Slot, comps set.Mask, tick entangle.Tick) {
	for comp := c.history.Deltas.Next(0); comp >= 0; comp = c.history.Deltas.Next(comp + 1) {
		if comps.Has(comp) {
			if value := c.valueOf(repl.Slot(s), comp); value != nil {
				c.history.Of[comp].Set(repl.Slot(s), tick, value)
			}
		}
	}
}
