package sink

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/world/refs"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/mlange-42/arche/ecs"
)

// left is what a copy knows of references to entities that went out of it. Who was only
// hidden is shown again under the same name, and is then another entity of this world:
// the references wait for it, and lead to who is gone meanwhile.
type left struct {
	comps repl.Mask           // with references in their values
	gone  []source.LostTarget // of the record at hand
	at    refs.LateHolder     // that is being looked through
	note  func(n int, e ecs.Entity) ecs.Entity
}

// refer notes that something refers to an entity.
func (c *Copy) refer(s repl.Slot) {
	if s != repl.NoSlot {
		c.Known[s].referred = true
	}
}

// awaitReturns lets references wait for those that went with the record at hand. They may
// be in values of that record: what it sets and who leaves with it is of one tick.
func (c *Copy) awaitReturns() {
	l := &c.left
	if len(l.gone) == 0 {
		return
	}
	if l.note == nil {
		l.note = c.noteReturn
	}
	for s := range c.Known { // most hold no references
		if holds := c.Known[s].mask.And(l.comps); !holds.IsZero() && c.entities[s].used {
			c.awaitReturnsOf(repl.Slot(s), &holds)
		}
	}
	c.awaitTargets()
	l.gone = l.gone[:0]
}

func (c *Copy) awaitReturnsOf(s repl.Slot, holds *repl.Mask) {
	l := &c.left
	for comp := holds.Next(0); comp >= 0; comp = holds.Next(comp + 1) {
		if value, ok := c.said(s, comp); ok {
			l.at = refs.LateHolder{Slot: s, Comp: comp}
			c.comps[comp].plan.MapRefs(value, l.note)
		}
	}
}

func (c *Copy) noteReturn(n int, to ecs.Entity) ecs.Entity {
	l := &c.left
	i := slices.IndexFunc(l.gone, func(t source.LostTarget) bool { return t.Entity == to })
	if i >= 0 && c.late.Add(refs.LateRef{Target: l.gone[i].ID, Holder: l.at, Tick: c.late.Tick, N: n}) {
		c.entities[l.at.Slot].waits++
	}
	return to
}

// awaitTargets is awaitReturns of the targets that the record gives to relations: no
// relation of the world leads to one that is gone.
func (c *Copy) awaitTargets() {
	for i := range c.stage.members {
		slot := c.stage.members[i].slot
		for _, v := range c.valuesOf(i) {
			if c.comps[v.comp].relation && c.entities[slot].used {
				c.left.at = refs.LateHolder{Slot: slot, Comp: v.comp}
				c.noteReturn(source.TargetRef, v.target)
			}
		}
	}
}
