package refs

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/delta"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/internal/wire/stepcode"
)

// Past keeps the history of components that are sent as differences: on a server the values of its
// world, on a client the received values.
type Past struct {
	Of     []*delta.History // by component number; nil: it is sent whole
	Deltas set.Mask         // the components that are sent as differences
	Moving set.Mask         // the subset of Deltas that is extrapolated from its motion
	Bases  wire.Bases
	Trails []stepcode.Trail // the trails of the current record, by component number
	begun  bool             // a trail is in use
}

// Begin begins a record.
func (p *Past) Begin() {
	if p.begun {
		clear(p.Trails)
		p.begun = false
	}
}

// Trail returns the trail of a component in the current record.
func (p *Past) Trail(comp int) *stepcode.Trail {
	p.begun = true
	return &p.Trails[comp]
}

// Find sets Bases to the baselines of a difference of a component, and returns the ticks for which
// the baseline is the same. ok is false if a baseline is not known.
func (p *Past) Find(s repl.Slot, comp int, tick entangle.Tick, from repl.From) (since, until entangle.Tick, ok bool) {
	h := p.Of[comp]
	p.Bases = wire.Bases{Ahead: uint32(tick - from.Base), Trail: p.Trail(comp)}
	p.Bases.Base, since, until, ok = h.At(s, from.Base)
	older, moves := from.Previous(tick)
	if !ok || !moves || !p.Moving.Has(comp) {
		return since, until, ok
	}
	p.Bases.Between = uint32(from.Prev)
	p.Bases.Older, _, _, ok = h.At(s, older)
	return from.Base, from.Base + 1, ok // the extrapolated value depends on the distance to the baseline
}

// Forget drops the history of a slot.
func (p *Past) Forget(s repl.Slot) {
	for c := range p.Deltas.All() {
		p.Of[c].Drop(s)
	}
}
