package encode

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// Source is the world that is replicated, as a sender reads it.
type Source interface {
	// Encode writes the present value of a component of a slot. For a paused slot it writes the
	// last value before the pause. Entities in the value are written as indexes into refs.
	Encode(w *bits.Writer, slot repl.Slot, comp int, refs *repl.RefTable)
}

// Differ is a Source with components that are updated by differences from the value at the baseline.
type Differ interface {
	Source
	// Deltas returns the components that are sent as differences, and those of them that also use
	// the previous baseline.
	Deltas() (all, moving set.Mask)
	// BeginRecord begins a record: all values encoded until the next call belong to it.
	BeginRecord()
	// EncodeFrom writes the difference of a component of a slot between a baseline and tick, the
	// present one. The baseline is less than repl.HistoryTicks before tick. It returns the
	// baselines, from lo on and before hi, for which it would write the same bits in updates with a
	// previous baseline as far back.
	EncodeFrom(w *bits.Writer, slot repl.Slot, comp int, tick entangle.Tick, from repl.From, refs *repl.RefTable) (lo, hi entangle.Tick)
}
