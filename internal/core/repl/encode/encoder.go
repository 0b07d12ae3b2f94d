package encode

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/set"
)

// Encoder encodes the groups of a world, each body once in a tick for all peers that it serves.
type Encoder struct {
	state  *group.State
	src    Source
	differ Differ   // the source, if it has deltas
	deltas set.Mask // the components that are sent as differences
	Moves  bool     // some of them use the previous baseline
	sets   repl.Sets

	Bodies     bodies
	Spawns     spawnBatches
	Chunks     chunks
	Runs       runs
	sorted     []group.Leaver // of the body that is being encoded
	BodiesMade uint64

	Unshared, Unrun bool // plain twins, for tests
}

// NewEncoder returns the encoder of a world.
func NewEncoder(src Source, state *group.State) *Encoder {
	w := &Encoder{state: state, src: src, sets: repl.NewSets(state.Comps)}
	if differ, ok := src.(Differ); ok {
		var moving set.Mask
		if w.deltas, moving = differ.Deltas(); !w.deltas.IsZero() {
			w.differ, w.Moves = differ, !moving.IsZero()
		}
	}
	return w
}

// Begin forgets what was encoded in the last tick, but for the runs that a packet in flight may carry: inFlight
// is the tick of the oldest of these packets.
func (w *Encoder) Begin(inFlight entangle.Tick) {
	w.Bodies.reset()
	w.Spawns.reset()
	w.Chunks.reset(w.state.Tick)
	w.Runs.retireRuns(inFlight)
}

// Grow makes room for all groups.
func (w *Encoder) Grow() {
	w.Bodies.grow(len(w.state.Groups))
	w.Chunks.grow(len(w.state.Groups))
}
