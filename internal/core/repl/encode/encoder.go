package encode

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/set"
)

// Encoder encodes the groups of a world. It keeps what it encoded until the next tick, so that peers share it.
type Encoder struct {
	state    *group.State
	src      Source
	differ   Differ   // src, if it sends components as differences; else nil
	deltas   set.Mask // components that are sent as differences
	UsesPrev bool     // some components use the previous baseline
	sets     repl.Sets

	Bodies        bodies
	Spawns        spawnBatches
	Chunks        chunks
	Runs          runs
	sortedLeavers []group.Leaver // scratch of encodeLeavers
	BodiesMade    uint64         // number of bodies and chunks that were encoded
	Held          bool           // nothing may be encoded until the next tick begins

	// Unshared and Unrun make plain implementations, with which tests compare the optimised one. Unshared encodes
	// everything for each peer, and Unrun writes a run for each peer instead of copying it.
	Unshared, Unrun bool
}

// NewEncoder returns an encoder of a world. The source writes its values.
func NewEncoder(src Source, state *group.State) *Encoder {
	w := &Encoder{state: state, src: src, sets: repl.NewSets(state.Comps)}
	if differ, ok := src.(Differ); ok {
		var moving set.Mask
		if w.deltas, moving = differ.Deltas(); !w.deltas.IsZero() {
			w.differ, w.UsesPrev = differ, !moving.IsZero()
		}
	}
	return w
}

// Begin starts a tick, after the groups have changed. It forgets what was encoded in the last tick, except the lists of
// groups of those runs that a packet in flight may carry. inFlight is the tick of the oldest packet in flight.
func (w *Encoder) Begin(inFlight entangle.Tick) {
	w.Bodies.reset(w.state.Tick, len(w.state.Groups))
	w.Spawns.reset(w.state.Tick, len(w.state.Groups))
	w.Chunks.reset(w.state.Tick, len(w.state.Groups))
	w.Runs.retireRuns(inFlight)
}
