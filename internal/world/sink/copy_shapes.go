package sink

import (
	"fmt"

	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/mlange-42/arche/ecs"
)

// shapes limits how many archetypes the records of a server make the world create. Arche keeps an
// archetype, with space for many entities, for as long as the world lives, or as long as the
// relation target of the archetype lives. Without a limit, an entity that gets different components
// with every record would use more and more memory, and many entities with different components
// would use far more memory than the entities themselves.
type shapes struct {
	known   map[shape]struct{}
	last    shape // the shape of the last successful call of fits
	aimed   int   // number of known shapes with a target
	sweepAt int   // value of aimed at which shapes with a dead target are removed
	over    bool  // a shape was refused: the connection ends
}

// shape identifies an archetype of Arche.
type shape struct {
	mask   ecs.Mask
	target ecs.Entity // of the relation
}

// leastShapes is the lowest limit on shapes, however small the limit on entities is.
const leastShapes = 1 << 10

// shapeLimits returns how many shapes without a target, and how many with one, are allowed.
func (c *Copy) shapeLimits() (plain, aimed int) {
	return max(c.most/8, leastShapes), max(c.most, leastShapes)
}

// fits reports whether an entity may take a shape: the shape is known, or there is space for one
// more. After a refusal, the current record and all later ones are not written until the connection
// has ended.
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

// shapeRoom reports whether there is space for one more shape. For shapes with a target, it reports
// false once at most an eighth of their limit is free after a sweep, because each search for dead
// targets takes time.
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

// Overgrown returns a readable sentence that says which limit was exceeded, if the server gives its
// entities more different shapes than there is space for.
func (c *Copy) Overgrown() (reason string, ok bool) {
	if !c.shapes.over {
		return "", false
	}
	plain, aimed := c.shapeLimits()
	return fmt.Sprintf("the server gives entities more different components than this client takes, %d sets of them and %d with a target; "+
		"both follow ClientConfig.MaxEntities", plain, aimed), true
}

// becomes returns the shape of an entity after the staged change of structure.
func (c *Copy) becomes(e ecs.Entity) shape {
	s := shape{c.world.Mask(e), c.world.Relations().GetUnchecked(e, c.remote)} // the target of any relation
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

// fitsAhead is fits for the shape that an entity gets when the prediction restores its confirmed
// state.
func (c *Copy) fitsAhead(slot repl.Slot) bool {
	word := c.ahead.store.Confirmed(c.Known[slot].slot)
	s := shape{c.world.Mask(c.entities[slot].entity), columns.UnpackEntity(word.Target)}
	for comp := range c.comps {
		s.mask.Set(c.comps[comp].id, word.Mask.Has(comp))
	}
	return c.fits(s)
}
