package repl_test

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/delta"
	"github.com/entangle-ecs/entangle/internal/core/repl/encode"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// differing is a model that sends some components as differences. Components with even numbers take
// their motion into account.
type differing struct{ *model }

// deltaPast is a history of each component that is sent as differences.
type deltaPast map[int]*delta.History

func newDeltaPast(deltas set.Mask) deltaPast {
	p := deltaPast{}
	for c := deltas.Next(0); c >= 0; c = deltas.Next(c + 1) {
		p[c] = delta.NewHistory(4)
	}
	return p
}

func (p deltaPast) value(s repl.Slot, comp int, tick entangle.Tick) (v uint32, since, until entangle.Tick, ok bool) {
	b, since, until, ok := p[comp].At(s, tick)
	if !ok {
		return 0, 0, 0, false
	}
	var r bits.Reader
	r.Reset(b)
	return uint32(r.Bits(32)), since, until, true
}

func bytesOf(v uint32) []byte {
	var w bits.Writer
	w.Bits(uint64(v), 32)
	return w.Finish()
}

// predict returns the value to which a difference of a component is added.
func (p deltaPast) predict(s repl.Slot, comp int, tick entangle.Tick, from repl.From) (v uint32, since, until entangle.Tick, ok bool) {
	v, since, until, ok = p.value(s, comp, from.Base)
	older, moves := from.Previous(tick)
	if !ok || !moves || comp%2 == 1 {
		return v, since, until, ok
	}
	was, _, _, ok := p.value(s, comp, older)
	ahead := uint32(tick - from.Base)
	return v + (v-was)*ahead/uint32(from.Prev), from.Base, from.Base + 1, ok
}

// deltas returns which of a number of components are sent as differences.
func deltas(comps int) (m set.Mask) {
	for c := 3; c < comps; c++ {
		if width(c) > 0 {
			m.Set(c)
		}
	}
	return m
}

// Deltas implements encode.Differ.
func (m differing) Deltas() (all, moving set.Mask) {
	if m.still {
		return m.deltas, moving
	}
	return m.deltas, m.deltas
}

// BeginRecord implements encode.Differ.
func (m differing) BeginRecord() {}

// EncodeFrom implements encode.Differ.
func (m differing) EncodeFrom(w *bits.Writer, slot repl.Slot, comp int, tick entangle.Tick, from repl.From, _ *repl.RefTable) (lo, hi entangle.Tick) {
	predicted, lo, hi, ok := m.past.predict(slot, comp, tick, from)
	if !ok {
		panic("a base is named of which nothing is known")
	}
	w.Bits(uint64(m.told(slot).values[comp]-predicted), 32)
	return lo, hi
}

var _ encode.Differ = differing{}

// remember records the values as of a tick.
func (m *model) remember(tick entangle.Tick, slots repl.Slot) {
	for c, h := range m.past {
		for s := range slots {
			e, lives := m.entities[s]
			if !lives || !e.mask.Has(c) {
				h.Drop(s)
			} else if v, _, _, ok := m.past.value(s, c, tick); !m.paused[s] && (!ok || v != e.values[c]) {
				h.Set(s, tick, bytesOf(e.values[c]))
			}
		}
	}
}

// deltaSink is a replica that applies differences.
type deltaSink struct {
	*copySink
	deltas set.Mask
	past   deltaPast
	at     receiver.Moment
}

func newDeltaSink(c *copySink, deltas set.Mask) *deltaSink {
	return &deltaSink{copySink: c, deltas: deltas, past: newDeltaPast(deltas)}
}

var _ receiver.Differ = (*deltaSink)(nil)

// Deltas implements receiver.Differ.
func (d *deltaSink) Deltas() set.Mask { return d.deltas }

// From implements receiver.Differ.
func (d *deltaSink) From(m *receiver.Moment) { d.at = *m }

// Insert implements receiver.Sink.
func (d *deltaSink) Insert(r *bits.Reader, comp int, refs receiver.Refs) error {
	e := d.entities[d.copySink.at]
	fresh := d.whole || !e.mask.Has(comp)
	if err := d.copySink.Insert(r, comp, refs); err != nil {
		return err
	}
	d.learn(comp, fresh)
	return nil
}

func (d *deltaSink) learn(comp int, fresh bool) {
	h, slot := d.past[comp], d.copySink.at
	switch v := bytesOf(d.entities[slot].values[comp]); {
	case h == nil:
	case fresh || !d.at.Known:
		h.Restart(slot, d.at.Tick, v)
	default:
		h.Set(slot, d.at.ReplicaTick+1, v)
	}
}

// Update implements receiver.Sink.
func (d *deltaSink) Update(r *bits.Reader, comp int, refs receiver.Refs) error {
	slot, predicted := d.copySink.at, uint32(0)
	if d.at.Differs && d.past[comp] != nil {
		var ok bool
		if predicted, _, _, ok = d.past.predict(slot, comp, d.at.Tick, d.at.From); !ok {
			return receiver.ErrMalformed
		}
	}
	if err := d.copySink.Update(r, comp, refs); err != nil {
		return err
	}
	e := d.entities[slot]
	e.values[comp] += predicted
	d.entities[slot] = e
	d.learn(comp, false)
	return nil
}
