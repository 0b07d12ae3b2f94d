package sink

import (
	"errors"
	"fmt"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/internal/world/refs"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// differences decodes the components that are sent as differences.
type differences struct {
	history refs.Past
	moment  receiver.Moment // the moment of the current record, if it has differences
}

func newDifferences(infos []*registry.Component) differences {
	return differences{history: source.NewHistory(infos)}
}

var _ receiver.Differ = (*Applier)(nil)

// Deltas implements receiver.Differ.
func (a *Applier) Deltas() set.Mask { return a.diffs.history.Deltas }

// From implements receiver.Differ.
func (a *Applier) From(m *receiver.Moment) {
	a.diffs.moment = *m
	a.diffs.history.Begin()
}

// decodeFrom decodes a difference.
func (d *differences) decodeFrom(plan *wire.Plan, value []byte, r *bits.Reader, s repl.Slot, comp int) error {
	m := &d.moment
	if _, _, ok := d.history.Find(s, comp, m.Tick, m.From); !ok {
		return receiver.ErrBaseline
	}
	err := plan.DecodeDelta(r, &d.history.Bases, value, NoRefs{})
	if errors.Is(err, wire.ErrRange) {
		return fmt.Errorf("%w: %w", receiver.ErrBaseline, err)
	}
	return err
}

// differs reports whether the current record carries a component as differences.
func (d *differences) differs(comp int) bool { return d.moment.Differs && d.history.Of[comp] != nil }

// skipFrom skips a difference.
func (d *differences) skipFrom(plan *wire.Plan, r *bits.Reader, comp int) error {
	return plan.SkipDelta(r, d.history.Trail(comp))
}

// recordValue adds a received value to the history. fresh: the value arrived with its component.
func (d *differences) recordValue(s repl.Slot, comp int, value []byte, fresh bool) {
	switch h, m := d.history.Of[comp], &d.moment; {
	case h == nil:
	case fresh || !m.Known:
		h.Restart(s, m.Tick, value)
	default:
		h.Set(s, m.ReplicaTick+1, value)
	}
}
