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
func (c *Collector) EncodeFrom(w *bits.Writer, slot repl.Slot, comp int, tick entangle.Tick, from repl.From, refs *repl.RefTable) (lo, hi entangle.Tick) {
	lo, hi, ok := c.history.Find(slot, comp, tick, from)
	if !ok {
		panic(fmt.Sprintf("source: tick %d: an update of component %d from tick %d, of which there is no history", tick, comp, from.Base))
	}
	c.refs.indexes = refs
	c.countClamped(slot, comp, c.Sent.Plans[comp].EncodeDelta(w, &c.history.Bases, c.valueOf(slot, comp), &c.refs))
	return lo, hi
}

// recordHistory records the values at a tick of the components that are sent as differences.
func (p *Collector) recordHistory(tick entangle.Tick) {
	if p.history.Deltas.IsZero() {
		return
	}
	for _, s := range p.Table.Despawned() {
		p.history.Forget(repl.Slot(s))
	}
	for _, s := range p.Table.Spawned() {
		p.history.Forget(repl.Slot(s))
		p.recordEntity(s, p.Sent.Numbers(p.Table.Mask(s)), tick)
	}
	for _, s := range p.Table.Resumed() {
		p.recordEntity(s, p.Sent.Numbers(p.Table.Mask(s)), tick)
	}
	for _, change := range p.Table.Structure() {
		p.recordEntity(change.Slot, p.Sent.Numbers(change.Inserted), tick)
	}
	for c := p.history.Deltas.Next(0); c >= 0; c = p.history.Deltas.Next(c + 1) {
		for _, s := range p.Table.Changed(c) {
			p.history.Of[c].Set(repl.Slot(s), tick, p.Table.Value(s, c))
		}
	}
}

func (p *Collector) recordEntity(s columns.Slot, comps set.Mask, tick entangle.Tick) {
	for c := p.history.Deltas.Next(0); c >= 0; c = p.history.Deltas.Next(c + 1) {
		if comps.Has(c) {
			if value := p.valueOf(repl.Slot(s), c); value != nil {
				p.history.Of[c].Set(repl.Slot(s), tick, value)
			}
		}
	}
}
