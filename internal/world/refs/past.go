package refs

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/delta"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/internal/wire/stepcode"
)

// Past is what components were that are sent as differences: on a server what its world
// held, on a client what arrived.
type Past struct {
	Of     []*delta.History // by component number; nil: it is sent whole
	Deltas repl.Mask
	Moving repl.Mask // of those, the ones that are told by how they move
	Coded  repl.Mask // of those, the ones whose codes are learned
	Bases  wire.Bases
	Trails []stepcode.Trail // of the record at hand, by component number
	begun  bool             // one of them
}

// Learns reports whether there are components whose codes are learned.
func (p *Past) Learns() bool { return !p.Coded.IsZero() }

// Begin begins a record.
func (p *Past) Begin() {
	if p.begun {
		clear(p.Trails)
		p.begun = false
	}
}

// Trail returns that of a component in the record at hand.
func (p *Past) Trail(comp int) *stepcode.Trail {
	p.begun = true
	return &p.Trails[comp]
}

// Find gathers what a difference of a component starts from, and returns the ticks for
// which the base is the same. It is not ok when that is not known.
func (p *Past) Find(s repl.Slot, comp int, tick entangle.Tick, from repl.From) (since, until entangle.Tick, ok bool) {
	h := p.Of[comp]
	p.Bases = wire.Bases{Ahead: uint32(tick - from.Base), Trail: p.Trail(comp)}
	p.Bases.Base, since, until, ok = h.At(s, from.Base)
	older, moves := from.Older(tick)
	if !ok || !moves || !p.Moving.Has(comp) {
		return since, until, ok
	}
	p.Bases.Between = uint32(from.Apart)
	p.Bases.Older, _, _, ok = h.At(s, older)
	return from.Base, from.Base + 1, ok // where it leads depends on how far away the base is
}

// Forget drops all that is known of a slot.
func (p *Past) Forget(s repl.Slot) {
	for c := p.Deltas.Next(0); c >= 0; c = p.Deltas.Next(c + 1) {
		p.Of[c].Drop(s)
	}
}
