package sink

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/world/refs"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/mlange-42/arche/ecs"
)

// left tracks references to entities that have left the copy. An entity that was only hidden is
// shown again with the same network id, but as a different entity of this world. Until then,
// references to it wait, and keep the dead entity as their value.
type left struct {
	comps repl.Mask           // with references in their values
	gone  []source.LostTarget // by the current record
	at    refs.LateHolder     // the component that is being searched
	note  func(n int, e ecs.Entity) ecs.Entity
}

// refer marks an entity as referred to.
func (c *Copy) refer(s repl.Slot) {
	if s != repl.NoSlot {
		c.Known[s].referred = true
	}
}

// awaitReturns makes references wait for the entities that the current record removed. These
// references may be in values of the same record: its values and its removals belong to one tick.
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

// awaitTargets is awaitReturns for the relation targets that the record sets: no relation in the
// world has a dead target.
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
