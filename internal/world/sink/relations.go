package sink

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/internal/world/refs"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/entangle-ecs/entangle/protocol/bits"
	"github.com/mlange-42/arche/ecs"
)

// relates checks that a member gets no second relation.
func (c *Copy) relates(m *stagedMember, comp int) error {
	if !c.comps[comp].relation {
		return nil
	}
	for other := c.related.Comps.Next(0); other >= 0; other = c.related.Comps.Next(other + 1) {
		if other != comp && m.mask.Has(other) {
			return source.ErrTwoRelations
		}
	}
	return nil
}

// decodeTarget reads the target of a relation. A target that has not arrived yet is recorded as
// waiting, and is the zero entity until it arrives.
func (c *Copy) decodeTarget(r *bits.Reader, h refs.LateHolder) ecs.Entity {
	target := wire.DecodeTarget(r, &c.refs)
	if len(c.refs.late) == 0 {
		return target
	}
	c.late.Found = append(c.late.Found, refs.LateRef{Target: c.refs.late[0], Holder: h, Tick: c.late.Tick, N: source.TargetRef})
	c.refs.late = c.refs.late[:0]
	return ecs.Entity{}
}

// giveWay removes a relation that the game added to an entity on this side, when the server gives
// the entity another one: an entity can have only one relation.
func (c *Copy) giveWay(e ecs.Entity, comp int) {
	s := &c.stage
	for _, id := range c.world.Ids(e) {
		info, _ := ecs.ComponentInfo(c.world, id)
		if info.IsRelation && id != c.comps[comp].id && !slices.Contains(s.remove, id) {
			s.remove = append(s.remove, id)
		}
	}
}

// aimed returns the target that a relation of an entity gets. It is the zero entity if the target
// is gone, or is the entity itself, which Arche could not remove then.
func (c *Copy) aimed(e, target ecs.Entity) ecs.Entity {
	s, ours := c.Slots[target]
	if !ours || target == e || !c.world.Alive(target) {
		return ecs.Entity{}
	}
	c.Known[s].aimed = true
	return target
}

// aim sets the target of a relation and reports whether it changed.
func (c *Copy) aim(e ecs.Entity, id ecs.ID, target ecs.Entity) (changed bool) {
	target = c.aimed(e, target)
	if c.world.Relations().Get(e, id) == target || !c.fits(shape{c.world.Mask(e), target}) {
		return false
	}
	c.writer.SetTarget(e, id, target)
	return true
}

// lose records that an entity leaves which relations and references may point to.
func (c *Copy) lose(s repl.Slot) {
	lost := source.LostTarget{Entity: c.entities[s].entity, ID: c.Known[s].ID}
	if c.Known[s].aimed {
		c.related.Lost = append(c.related.Lost, lost)
	}
	if c.Known[s].referred {
		c.left.gone = append(c.left.gone, lost)
	}
}

// releaseTargets clears the relations to entities that the current record removed. The relations
// wait for their targets, because a hidden entity may be shown again.
func (c *Copy) releaseTargets() {
	for _, lost := range c.related.Lost {
		for comp := c.related.Comps.Next(0); comp >= 0; comp = c.related.Comps.Next(comp + 1) {
			c.releaseTarget(lost, comp)
		}
	}
	c.related.Lost = c.related.Lost[:0]
}

func (c *Copy) releaseTarget(lost source.LostTarget, comp int) {
	id := c.comps[comp].id
	mask, held := ecs.All(id), c.related.Held[:0]
	filter := ecs.NewRelationFilter(&mask, lost.Entity)
	for query := c.world.Query(&filter); query.Next(); {
		held = append(held, query.Entity())
	}
	for _, e := range held {
		s, ours := c.Slots[e]
		switch {
		case !ours:
		case !c.foresees(s):
			c.writer.SetTarget(e, id, ecs.Entity{})
			c.awaitTarget(lost, refs.LateHolder{Slot: s, Comp: comp})
		case c.follows(comp):
			c.writer.SetTarget(e, id, ecs.Entity{})
		}
	}
	c.related.Held = held
	c.releaseAhead(lost, comp)
}

// awaitTarget makes a relation wait for its former target.
func (c *Copy) awaitTarget(lost source.LostTarget, h refs.LateHolder) {
	c.late.Set = append(c.late.Set, h)
	if c.late.Add(refs.LateRef{Target: lost.ID, Holder: h, Tick: c.late.Tick, N: source.TargetRef}) {
		c.entities[h.Slot].waits++
	}
}

// releaseAhead clears the relations to a removed entity in the confirmed state of predicted
// entities.
func (c *Copy) releaseAhead(lost source.LostTarget, comp int) {
	if c.ahead.count == 0 {
		return
	}
	for s := range c.Known {
		if at := c.Known[s].slot; c.foresees(repl.Slot(s)) { // else the game has removed it, and the slot may belong to another entity
			word := c.ahead.store.Confirmed(at)
			if word.Mask.Has(comp) && columns.UnpackEntity(word.Target) == lost.Entity {
				word.Target = 0
				c.aimTwin(repl.Slot(s), &c.comps[comp], ecs.Entity{})
				c.ahead.by.Confirmed(at)
				c.awaitTarget(lost, refs.LateHolder{Slot: repl.Slot(s), Comp: comp})
			}
		}
	}
}

// disown clears the relations of an entity to dead targets.
func (c *Copy) disown(e ecs.Entity) {
	for comp := c.related.Comps.Next(0); comp >= 0; comp = c.related.Comps.Next(comp + 1) {
		if id := c.comps[comp].id; c.world.Has(e, id) && !c.world.Alive(c.world.Relations().Get(e, id)) {
			c.writer.SetTarget(e, id, ecs.Entity{})
		}
	}
}
