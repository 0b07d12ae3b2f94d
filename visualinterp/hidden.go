package visualinterp

import (
	"slices"

	"github.com/mlange-42/arche/ecs"
)

// Smooth is the tag for Tagged. The game adds it to entities.
type Smooth struct{}

// Hidden is on entities that must not be drawn yet; see HideUntilTwo. The system adds and removes it before
// the systems of plugin.AfterSend run.
type Hidden struct{}

// hiding adds Hidden to entities, and removes it.
type hiding struct {
	world   *ecs.World
	layers  []*layer // the layers with HideUntilTwo
	hidden  []ecs.ID
	filter  ecs.Mask
	on, off []ecs.Entity
}

func newHiding(w *ecs.World, layers []*layer) hiding {
	h := hiding{world: w}
	for _, l := range layers {
		if l.rule.hides {
			h.layers = append(h.layers, l)
		}
	}
	if len(h.layers) > 0 {
		h.hidden = []ecs.ID{ecs.ComponentID[Hidden](w)}
		h.filter = ecs.All(h.hidden...)
	}
	return h
}

// update hides exactly the entities that wait for a second tick.
func (h *hiding) update() {
	if len(h.layers) == 0 {
		return
	}
	h.findChanges()
	for _, e := range h.on {
		if !h.world.Has(e, h.hidden[0]) { // the entity may be hidden already, or found in two layers
			h.world.Add(e, h.hidden...)
		}
	}
	for _, e := range h.off {
		h.world.Remove(e, h.hidden...)
	}
}

// findChanges lists the entities that get the tag, and those that lose it.
func (h *hiding) findChanges() {
	h.on, h.off = h.on[:0], h.off[:0]
	for _, l := range h.layers {
		for _, row := range l.track.Unblended() {
			if e := l.table.Entity(l.slots[row]); !l.track.Ready(int(row)) {
				h.on = append(h.on, e)
			}
		}
	}
	for query := h.world.Query(&h.filter); query.Next(); {
		e := query.Entity()
		if !slices.ContainsFunc(h.layers, func(l *layer) bool { return l.lacksSamples(e) }) {
			h.off = append(h.off, e)
		}
	}
}
