package encode

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// Source writes the values of the components of the replicated world.
type Source interface {
	// Encode writes the present value of a component of an entity, or for a paused entity the last value before the
	// pause. An entity in the value is written as its index in refs.
	Encode(w *bits.Writer, slot repl.Slot, comp int, refs *repl.RefTable)
}

// Differ is a Source that can write values of some components as differences from their values at the baseline.
type Differ interface {
	Source
	// Deltas returns the components that are sent as differences, and those of them that also use the previous
	// baseline.
	Deltas() (all, moving set.Mask)
	// BeginRecord starts a record: the values that are encoded until the next call belong to it.
	BeginRecord()
	// EncodeFrom writes the present value of a component as the difference from its value at a baseline. tick is the
	// present tick, and the baseline is less than repl.HistoryTicks before it. It returns the baselines, from lo on
	// and before hi, from which it would write the same bits, if the previous baseline is as many ticks before each of
	// them.
	EncodeFrom(w *bits.Writer, slot repl.Slot, comp int, tick entangle.Tick, from repl.From, refs *repl.RefTable) (lo, hi entangle.Tick)
}
