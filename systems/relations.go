package systems

import (
	"errors"
	"slices"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// targetRef is the number of a relation's target among the references of its
// component: the others count from 0.
const targetRef = -1

// errTwoRelations means that a peer gives an entity a second relation, which no world
// of Arche can hold.
var errTwoRelations = errors.New("systems: an entity with two relations")

// relationOf returns the relation that a slot has, among those that are sent.
func (p *Publisher) relationOf(s columns.Slot) (comp int, ok bool) {
	cols := p.table.Mask(s).And(p.relations)
	col := cols.Next(0)
	if col < 0 {
		return 0, false
	}
	return p.comps[col], true
}

// retarget makes relations due that have another target.
func (p *Publisher) retarget() {
	for _, s := range p.table.Retargeted() {
		if comp, ok := p.relationOf(s); ok && !p.once.Has(comp) {
			p.slots = append(p.slots[:0], repl.Slot(s))
			p.overwritten(comp)
			p.world.Change(comp, p.slots)
		}
	}
}

// encodeTarget writes the target of a relation.
func (p *Publisher) encodeTarget(w *bits.Writer, s columns.Slot) {
	protocol.EncodeTarget(w, p.table.Target(s), &p.refs)
}

// related is what a copy knows of the relations between its entities.
type related struct {
	comps repl.Mask
	lost  []lostTarget // of the record at hand
	held  []ecs.Entity // who had the one at hand for a target
}

// lostTarget is an entity that was the target of a relation, and went.
type lostTarget struct {
	entity ecs.Entity
	id     repl.ID
}

// relates checks that a member gets no second relation.
func (c *Copy) relates(m *stagedMember, comp int) error {
	if !c.comps[comp].relation {
		return nil
	}
	for other := c.related.comps.Next(0); other >= 0; other = c.related.comps.Next(other + 1) {
		if other != comp && m.mask.Has(other) {
			return errTwoRelations
		}
	}
	return nil
}

// decodeTarget reads the target of a relation. One that is not here yet is noted, and
// is no entity until it comes.
func (c *Copy) decodeTarget(r *bits.Reader, h lateHolder) ecs.Entity {
	target := protocol.DecodeTarget(r, &c.refs)
	if len(c.refs.late) == 0 {
		return target
	}
	c.late.found = append(c.late.found, lateRef{target: c.refs.late[0], holder: h, tick: c.late.tick, n: targetRef})
	c.refs.late = c.refs.late[:0]
	return ecs.Entity{}
}

// giveWay takes from an entity a relation that the game gave it on this side, where
// the sender gives it another: it can have one only.
func (c *Copy) giveWay(e ecs.Entity, comp int) {
	s := &c.stage
	for _, id := range c.world.Ids(e) {
		info, _ := ecs.ComponentInfo(c.world, id)
		if info.IsRelation && id != c.comps[comp].id && !slices.Contains(s.remove, id) {
			s.remove = append(s.remove, id)
		}
	}
}

// aimed returns whom a relation of an entity leads to. A target that is gone, or the entity
// itself, which Arche cannot remove then, is none.
func (c *Copy) aimed(e, target ecs.Entity) ecs.Entity {
	s, ours := c.slots[target]
	if !ours || target == e || !c.world.Alive(target) {
		return ecs.Entity{}
	}
	c.known[s].aimed = true
	return target
}

// aim sets the target of a relation and reports whether it was another one.
func (c *Copy) aim(e ecs.Entity, id ecs.ID, target ecs.Entity) (changed bool) {
	target = c.aimed(e, target)
	if c.world.Relations().Get(e, id) == target || !c.fits(shape{c.world.Mask(e), target}) {
		return false
	}
	c.writer.SetTarget(e, id, target)
	return true
}

// lose notes that an entity goes to which relations and references may lead.
func (c *Copy) lose(s repl.Slot) {
	lost := lostTarget{c.entities[s].entity, c.known[s].id}
	if c.known[s].aimed {
		c.related.lost = append(c.related.lost, lost)
	}
	if c.known[s].referred {
		c.left.gone = append(c.left.gone, lost)
	}
}

// releaseTargets ends the relations to those that went with the record at hand. They wait
// for them: who was hidden may be shown again.
func (c *Copy) releaseTargets() {
	for _, lost := range c.related.lost {
		for comp := c.related.comps.Next(0); comp >= 0; comp = c.related.comps.Next(comp + 1) {
			c.releaseTarget(lost, comp)
		}
	}
	c.related.lost = c.related.lost[:0]
}

func (c *Copy) releaseTarget(lost lostTarget, comp int) {
	id := c.comps[comp].id
	mask, held := ecs.All(id), c.related.held[:0]
	filter := ecs.NewRelationFilter(&mask, lost.entity)
	for query := c.world.Query(&filter); query.Next(); {
		held = append(held, query.Entity())
	}
	for _, e := range held {
		s, ours := c.slots[e]
		switch {
		case !ours:
		case !c.foresees(s):
			c.writer.SetTarget(e, id, ecs.Entity{})
			c.awaitTarget(lost, lateHolder{s, comp})
		case c.follows(comp):
			c.writer.SetTarget(e, id, ecs.Entity{})
		}
	}
	c.related.held = held
	c.releaseAhead(lost, comp)
}

// awaitTarget has a relation wait for who was its target.
func (c *Copy) awaitTarget(lost lostTarget, h lateHolder) {
	c.late.set = append(c.late.set, h)
	if c.late.add(lateRef{target: lost.id, holder: h, tick: c.late.tick, n: targetRef}) {
		c.entities[h.slot].waits++
	}
}

// releaseAhead ends the relations to one that went in what the server said of predicted
// entities.
func (c *Copy) releaseAhead(lost lostTarget, comp int) {
	if c.ahead.count == 0 {
		return
	}
	for s := range c.known {
		if at := c.known[s].slot; c.foresees(repl.Slot(s)) { // else the game has removed it, and the slot may be another's
			word := c.ahead.store.Confirmed(at)
			if word.Mask.Has(comp) && columns.UnpackEntity(word.Target) == lost.entity {
				word.Target = 0
				c.aimTwin(repl.Slot(s), &c.comps[comp], ecs.Entity{})
				c.ahead.by.confirmed(at)
				c.awaitTarget(lost, lateHolder{repl.Slot(s), comp})
			}
		}
	}
}

// disown ends the relation of an entity to another that is gone.
func (c *Copy) disown(e ecs.Entity) {
	for comp := c.related.comps.Next(0); comp >= 0; comp = c.related.comps.Next(comp + 1) {
		if id := c.comps[comp].id; c.world.Has(e, id) && !c.world.Alive(c.world.Relations().Get(e, id)) {
			c.writer.SetTarget(e, id, ecs.Entity{})
		}
	}
}
