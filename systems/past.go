package systems

import (
	"errors"
	"fmt"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/delta"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// past is what components were that are sent as differences: on a server what its world
// held, on a client what arrived.
type past struct {
	of     []*delta.History // by component number; nil: it is sent whole
	deltas repl.Mask
	moving repl.Mask // of those, the ones that are told by how they move
	coded  repl.Mask // of those, the ones whose codes are learned
	bases  protocol.Bases
	trails []protocol.Trail // of the record at hand, by component number
	begun  bool             // one of them
}

// newPast keeps what is registered with Delta. A relation, or what has entities in it, is sent
// whole all the same: what it refers to may come late, and no history knows of that.
func newPast(infos []*protocol.ComponentInfo) past {
	p := past{of: make([]*delta.History, len(infos)), trails: make([]protocol.Trail, len(infos))}
	for i, info := range infos {
		if !info.Delta || info.Plan.HasRefs() || info.Relation {
			continue
		}
		p.of[i] = delta.NewHistory(info.Plan.Size())
		p.deltas.Set(i)
		if info.Motion {
			p.moving.Set(i)
		}
		if info.Adaptive {
			p.coded.Set(i)
		}
	}
	return p
}

// learns reports whether there are components whose codes are learned.
func (p *past) learns() bool { return !p.coded.IsZero() }

// begin begins a record.
func (p *past) begin() {
	if p.begun {
		clear(p.trails)
		p.begun = false
	}
}

// trail returns that of a component in the record at hand.
func (p *past) trail(comp int) *protocol.Trail {
	p.begun = true
	return &p.trails[comp]
}

// find gathers what a difference of a component starts from, and returns the ticks for
// which the base is the same. It is not ok when that is not known.
func (p *past) find(s repl.Slot, comp int, tick entangle.Tick, from repl.From) (since, until entangle.Tick, ok bool) {
	h := p.of[comp]
	p.bases = protocol.Bases{Ahead: uint32(tick - from.Base), Trail: p.trail(comp)}
	p.bases.Base, since, until, ok = h.At(s, from.Base)
	older, moves := from.Older(tick)
	if !ok || !moves || !p.moving.Has(comp) {
		return since, until, ok
	}
	p.bases.Apart = uint32(from.Apart)
	p.bases.Older, _, _, ok = h.At(s, older)
	return from.Base, from.Base + 1, ok // where it leads depends on how far away the base is
}

// forget drops all that is known of a slot.
func (p *past) forget(s repl.Slot) {
	for c := p.deltas.Next(0); c >= 0; c = p.deltas.Next(c + 1) {
		p.of[c].Drop(s)
	}
}

var _ sender.Differ = (*Publisher)(nil)

// Deltas implements sender.Differ.
func (p *Publisher) Deltas() (all, moving repl.Mask) { return p.past.deltas, p.past.moving }

// BeginRecord implements sender.Differ.
func (p *Publisher) BeginRecord() { p.past.begin() }

// EncodeFrom implements sender.Differ.
func (p *Publisher) EncodeFrom(w *bits.Writer, slot repl.Slot, comp int, tick entangle.Tick, from repl.From, refs *repl.RefTable) (lo, hi entangle.Tick) {
	lo, hi, ok := p.past.find(slot, comp, tick, from)
	if !ok {
		panic(fmt.Sprintf("systems: tick %d: an update of component %d from tick %d, of which there is no history", tick, comp, from.Base))
	}
	p.past.bases.Codes = p.lessons.codesOf(comp, from.Codes)
	p.refs.refs = refs
	p.clamp(slot, comp, p.plans[comp].EncodeDelta(w, &p.past.bases, p.valueOf(slot, comp), &p.refs))
	return lo, hi
}

// remember notes what the components that are sent as differences are as of a tick.
func (p *Publisher) remember(tick entangle.Tick) {
	if p.past.deltas.IsZero() {
		return
	}
	for _, s := range p.table.Despawned() {
		p.past.forget(repl.Slot(s))
	}
	for _, s := range p.table.Spawned() {
		p.past.forget(repl.Slot(s))
		p.rememberAll(s, p.numbers(p.table.Mask(s)), tick)
	}
	for _, s := range p.table.Resumed() {
		p.rememberAll(s, p.numbers(p.table.Mask(s)), tick)
	}
	for _, change := range p.table.Structure() {
		p.rememberAll(change.Slot, p.numbers(change.Inserted), tick)
	}
	for c := p.past.deltas.Next(0); c >= 0; c = p.past.deltas.Next(c + 1) {
		if p.cols[c] < 0 {
			continue
		}
		for _, s := range p.table.Changed(p.cols[c]) {
			p.past.of[c].Set(repl.Slot(s), tick, p.table.Value(s, p.cols[c]))
		}
	}
}

func (p *Publisher) rememberAll(s columns.Slot, comps repl.Mask, tick entangle.Tick) {
	for c := p.past.deltas.Next(0); c >= 0; c = p.past.deltas.Next(c + 1) {
		if comps.Has(c) {
			if value := p.valueOf(repl.Slot(s), c); value != nil {
				p.past.of[c].Set(repl.Slot(s), tick, value)
			}
		}
	}
}

var _ receiver.Differ = (*Copy)(nil)

// Deltas implements receiver.Differ.
func (c *Copy) Deltas() repl.Mask { return c.past.deltas }

// From implements receiver.Differ.
func (c *Copy) From(m *receiver.Moment) {
	c.moment = *m
	c.past.begin()
}

// decodeFrom reads a difference.
func (c *Copy) decodeFrom(value []byte, r *bits.Reader, s repl.Slot, comp int) error {
	m := &c.moment
	if _, _, ok := c.past.find(s, comp, m.Tick, m.From); !ok {
		return receiver.ErrBaseline
	}
	c.past.bases.Codes = c.taught.codesOf(comp, m.Codes)
	err := c.comps[comp].plan.DecodeDelta(r, &c.past.bases, value, noRefs{})
	if errors.Is(err, protocol.ErrRange) {
		return fmt.Errorf("%w: %w", receiver.ErrBaseline, err)
	}
	return err
}

// differs reports whether values of a component are differences in the record at hand.
func (c *Copy) differs(comp int) bool { return c.moment.Differs && c.past.of[comp] != nil }

// skipDifference reads past one.
func (c *Copy) skipDifference(r *bits.Reader, comp int) error {
	return c.comps[comp].plan.SkipDelta(r, c.past.trail(comp), c.taught.codesOf(comp, c.moment.Codes))
}

// learn notes a value that arrived: one that came with its component, or a newer one.
func (c *Copy) learn(s repl.Slot, comp int, value []byte, fresh bool) {
	switch h, m := c.past.of[comp], &c.moment; {
	case h == nil:
	case fresh || !m.Known:
		h.Restart(s, m.Tick, value)
	default:
		h.Set(s, m.Held+1, value)
	}
}
