package sink

import (
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/mlange-42/arche/ecs"
)

// leaving handles the entities of a copy when its connection ends.
type leaving struct {
	persistent ecs.ID
	signs      []ecs.ID // components that mark an entity as replicated
	off        []ecs.ID // those of signs that the current entity has
	stay       []ecs.Entity
}

func newLeaving(w *ecs.World, remote ecs.ID) leaving {
	return leaving{
		persistent: ecs.ComponentID[components.Persistent](w),
		signs:      []ecs.ID{remote, ecs.ComponentID[components.Controlled](w)},
	}
}

// Clear ends the copy. Entities marked components.Persistent stay in the world and belong to the
// game; all others are removed, orphaned ones included. References that still wait stay empty.
func (c *Copy) Clear() {
	for s := range c.entities {
		if c.entities[s].used {
			c.partOf(repl.Slot(s))
		}
	}
	for _, e := range c.letGo {
		c.part(e)
	}
	c.letGo, c.sweepAt = c.letGo[:0], 0
	c.left.gone, c.late.Set, c.shapes.over = c.left.gone[:0], c.late.Set[:0], false
	c.clearAhead()
	for _, e := range c.leaving.stay {
		if c.world.Alive(e) {
			c.disown(e)
		}
	}
	c.leaving.stay = c.leaving.stay[:0]
}

// partOf is part for an entity of the copy. An entity that the game has despawned ahead of the
// server is removed, because nothing is left of it. An entity that was never committed is removed
// too.
func (c *Copy) partOf(s repl.Slot) {
	if c.entities[s].fresh {
		c.unmake(s)
		return
	}
	despawned := c.foresees(s) && c.ahead.by.IsDisabled(c.Known[s].slot)
	e := c.forget(s)
	if despawned {
		c.vanish(e)
	} else {
		c.part(e)
	}
}

// part detaches an entity from the connection, or removes it if it is not persistent.
func (c *Copy) part(e ecs.Entity) {
	l := &c.leaving
	if !c.world.Alive(e) || !c.world.Has(e, l.persistent) {
		c.vanish(e)
		return
	}
	l.off = l.off[:0]
	for _, id := range l.signs {
		if c.world.Has(e, id) {
			l.off = append(l.off, id)
		}
	}
	c.writer.Exchange(e, nil, l.off, nil)
	l.stay = append(l.stay, e)
}
