package sink

import (
	"fmt"

	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/mlange-42/arche/ecs"
)

// shapes is what the copy has had the world make archetypes for. Arche keeps an archetype,
// with room for many entities, for as long as the world lives, or the target that it is of.
// So one entity that has other components by each record of a server would take ever more
// memory, and many that differ far more than they are.
type shapes struct {
	known   map[shape]struct{}
	last    shape // that was asked for
	aimed   int   // of those known, with a target
	sweepAt int   // number of those at which those are forgotten whose target is gone
	over    bool  // one was refused: the connection ends
}

// shape is what Arche makes an archetype of.
type shape struct {
	mask   ecs.Mask
	target ecs.Entity // of its relation
}

// leastShapes is how many there may be however few entities a copy is limited to.
const leastShapes = 1 << 10

// limits returns how many shapes without a target there may be, and how many with one.
func (c *Copy) shapeLimits() (plain, aimed int) {
	return max(c.most/8, leastShapes), max(c.most, leastShapes)
}

// fits reports whether an entity may take a shape: it is known, or there is room for it.
// Where there is not, the record at hand and all behind it are not written, until the
// connection has ended.
func (c *Copy) fits(s shape) bool {
	h := &c.shapes
	if h.over || s == h.last {
		return !h.over
	}
	if _, ok := h.known[s]; !ok {
		if !c.shapeRoom(s) {
			h.over = true
			return false
		}
		h.known[s] = struct{}{}
		if !s.target.IsZero() {
			h.aimed++
		}
	}
	h.last = s
	return true
}

// shapeRoom reports whether there is room for one more. Where an eighth is left at most of
// the room for those with a target there is none: looking for whose target is gone has a price.
func (c *Copy) shapeRoom(s shape) bool {
	h := &c.shapes
	plain, aimed := c.shapeLimits()
	if s.target.IsZero() {
		return len(h.known)-h.aimed < plain
	}
	if h.aimed < h.sweepAt {
		return true
	}
	for s := range h.known {
		if !s.target.IsZero() && !c.world.Alive(s.target) {
			delete(h.known, s)
			h.aimed--
		}
	}
	h.sweepAt = min(2*h.aimed+64, aimed)
	return h.aimed <= aimed-aimed/8
}

// Overgrown returns what there is too much of, as a sentence for people, if the server gives
// its entities more different shapes than there is room for.
func (c *Copy) Overgrown() (reason string, ok bool) {
	if !c.shapes.over {
		return "", false
	}
	plain, aimed := c.shapeLimits()
	return fmt.Sprintf("the server gives entities more different components than this client takes, %d sets of them and %d with a target; "+
		"both follow ClientConfig.MaxEntities", plain, aimed), true
}

// becomes returns the shape of an entity after the change of structure that is staged.
func (c *Copy) becomes(e ecs.Entity) shape {
	s := shape{c.world.Mask(e), c.world.Relations().GetUnchecked(e, c.remote)} // of whatever relation it has
	for _, id := range c.stage.remove {
		s.mask.Set(id, false)
		if !s.target.IsZero() {
			if info, _ := ecs.ComponentInfo(c.world, id); info.IsRelation {
				s.target = ecs.Entity{}
			}
		}
	}
	for _, id := range c.stage.add {
		s.mask.Set(id, true)
	}
	return s
}

// fitsAhead is fits for the shape that a prediction gives an entity when it comes to what the
// server says of it.
func (c *Copy) fitsAhead(slot repl.Slot) bool {
	word := c.ahead.store.Confirmed(c.Known[slot].slot)
	s := shape{c.world.Mask(c.entities[slot].entity), columns.UnpackEntity(word.Target)}
	for comp := range c.comps {
		s.mask.Set(c.comps[comp].id, word.Mask.Has(comp))
	}
	return c.fits(s)
}
