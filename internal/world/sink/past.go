package sink

import (
	"errors"
	"fmt"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

var _ receiver.Differ = (*Copy)(nil)

// Deltas implements receiver.Differ.
func (c *Copy) Deltas() repl.Mask { return c.past.Deltas }

// From implements receiver.Differ.
func (c *Copy) From(m *receiver.Moment) {
	c.moment = *m
	c.past.Begin()
}

// decodeFrom decodes a difference.
func (c *Copy) decodeFrom(value []byte, r *bits.Reader, s repl.Slot, comp int) error {
	m := &c.moment
	if _, _, ok := c.past.Find(s, comp, m.Tick, m.From); !ok {
		return receiver.ErrBaseline
	}
	c.past.Bases.Codes = c.taught.codesOf(comp, m.Codes)
	err := c.comps[comp].plan.DecodeDelta(r, &c.past.Bases, value, NoRefs{})
	if errors.Is(err, wire.ErrRange) {
		return fmt.Errorf("%w: %w", receiver.ErrBaseline, err)
	}
	return err
}

// differs reports whether the current record carries a component as differences.
func (c *Copy) differs(comp int) bool { return c.moment.Differs && c.past.Of[comp] != nil }

// skipDifference skips a difference.
func (c *Copy) skipDifference(r *bits.Reader, comp int) error {
	return c.comps[comp].plan.SkipDelta(r, c.past.Trail(comp), c.taught.codesOf(comp, c.moment.Codes))
}

// learn adds a received value to the history. fresh: the value arrived with its component.
func (c *Copy) learn(s repl.Slot, comp int, value []byte, fresh bool) {
	switch h, m := c.past.Of[comp], &c.moment; {
	case h == nil:
	case fresh || !m.Known:
		h.Restart(s, m.Tick, value)
	default:
		h.Set(s, m.Held+1, value)
	}
}
