package source

import (
	"fmt"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/delta"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/wire/stepcode"
	"github.com/entangle-ecs/entangle/internal/world/refs"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// NewPast keeps the history of the components registered with Delta. A relation, or a component
// with entity references, is always sent whole: its references may be filled in late, which no
// history records.
func NewPast(infos []*registry.Component) refs.Past {
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
		if info.Adaptive {
			p.Coded.Set(i)
		}
	}
	return p
}

var _ sender.Differ = (*Publisher)(nil)

// Deltas implements sender.Differ.
func (p *Publisher) Deltas() (all, moving repl.Mask) { return p.past.Deltas, p.past.Moving }

// BeginRecord implements sender.Differ.
func (p *Publisher) BeginRecord() { p.past.Begin() }

// EncodeFrom implements sender.Differ.
func (p *Publisher) EncodeFrom(w *bits.Writer, slot repl.Slot, comp int, tick entangle.Tick, from repl.From, refs *repl.RefTable) (lo, hi entangle.Tick) {
	lo, hi, ok := p.past.Find(slot, comp, tick, from)
	if !ok {
		panic(fmt.Sprintf("source: tick %d: an update of component %d from tick %d, of which there is no history", tick, comp, from.Base))
	}
	p.past.Bases.Codes = p.Lessons.CodesOf(comp, from.Codes)
	p.refs.refs = refs
	p.clamp(slot, comp, p.Plans[comp].EncodeDelta(w, &p.past.Bases, p.valueOf(slot, comp), &p.refs))
	return lo, hi
}

// remember records the values at a tick of the components that are sent as differences.
func (p *Publisher) remember(tick entangle.Tick) {
	if p.past.Deltas.IsZero() {
		return
	}
	for _, s := range p.Table.Despawned() {
		p.past.Forget(repl.Slot(s))
	}
	for _, s := range p.Table.Spawned() {
		p.past.Forget(repl.Slot(s))
		p.rememberAll(s, p.Numbers(p.Table.Mask(s)), tick)
	}
	for _, s := range p.Table.Resumed() {
		p.rememberAll(s, p.Numbers(p.Table.Mask(s)), tick)
	}
	for _, change := range p.Table.Structure() {
		p.rememberAll(change.Slot, p.Numbers(change.Inserted), tick)
	}
	for c := p.past.Deltas.Next(0); c >= 0; c = p.past.Deltas.Next(c + 1) {
		if p.cols[c] < 0 {
			continue
		}
		for _, s := range p.Table.Changed(p.cols[c]) {
			p.past.Of[c].Set(repl.Slot(s), tick, p.Table.Value(s, p.cols[c]))
		}
	}
}

func (p *Publisher) rememberAll(s columns.Slot, comps repl.Mask, tick entangle.Tick) {
	for c := p.past.Deltas.Next(0); c >= 0; c = p.past.Deltas.Next(c + 1) {
		if comps.Has(c) {
			if value := p.valueOf(repl.Slot(s), c); value != nil {
				p.past.Of[c].Set(repl.Slot(s), tick, value)
			}
		}
	}
}
