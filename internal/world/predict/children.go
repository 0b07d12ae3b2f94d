package predict

import (
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/ecs/event"
)

// children holds the game's own entities that are children of predicted ones, and that roll back
// with them.
type children struct {
	*entities
	relations []ecs.ID // the relations from children to their parents
	is        ecs.Mask // the same relations, as a mask
	remote    ecs.ID
	mark      []ecs.ID // the marker, as the list that Arche takes

	candidates []ecs.Entity // entities that may have become children of predicted ones
	asked      []ecs.Entity // scratch
	any        bool         // there has ever been a candidate
	found      []ecs.Entity // scratch, used as a stack

	ofRelation ecs.Mask           // scratch, of each
	ofParent   ecs.RelationFilter // scratch, of each
}

func (c *children) init(t *entities, of *protocol.Protocol) {
	c.entities, c.remote, c.mark = t, ecs.ComponentID[components.Remote](t.world), t.marks[1:]
	c.relations = source.HierarchyRelations(t.world, registry.Of(of).Components)
	c.is = ecs.All(c.relations...)
}

// childListener listens to relations, and changes nothing in the world.
type childListener struct{ c *children }

// Subscriptions implements ecs.Listener.
func (childListener) Subscriptions() event.Subscription { return event.Relations }

// Components implements ecs.Listener.
func (childListener) Components() *ecs.Mask { return nil }

// Notify implements ecs.Listener.
func (l childListener) Notify(w *ecs.World, evt ecs.EntityEvent) {
	c, e := l.c, evt.Entity
	if w != c.world || evt.NewRelation == nil || !c.is.Get(*evt.NewRelation) {
		return
	}
	if !w.Alive(e) || w.Has(e, c.remote) || w.Has(e, c.marker()) {
		return
	}
	c.any = true
	c.candidates = append(c.candidates, e)
}

// followNew makes each candidate roll back if its parent does, and the candidate's children too.
func (c *children) followNew() {
	for more := true; more && len(c.candidates) > 0; {
		more = false
		c.candidates, c.asked = c.asked[:0], c.candidates
		for _, e := range c.asked {
			switch {
			case !c.isCandidate(e):
			case c.isChild(e):
				c.follow(e)
				more = true
			default:
				c.candidates = append(c.candidates, e)
			}
		}
	}
	c.candidates = c.candidates[:0]
}

// follow makes an entity roll back, and its children candidates.
func (c *children) follow(e ecs.Entity) {
	c.writer.Exchange(e, c.mark, nil, nil)
	c.addChildren(e)
}

// isCandidate reports whether an entity is alive, and does not roll back yet.
func (c *children) isCandidate(e ecs.Entity) bool {
	return c.world.Alive(e) && !c.predicts(e) && !c.world.Has(e, c.remote)
}

// isChild reports whether an entity is the child of one that rolls back.
func (c *children) isChild(e ecs.Entity) bool {
	for _, id := range c.relations {
		if c.world.Has(e, id) && c.predicts(c.world.Relations().Get(e, id)) {
			return true
		}
	}
	return false
}

// addChildren makes the children of an entity candidates, when it begins to roll back.
func (c *children) addChildren(parent ecs.Entity) {
	if c.any {
		c.each(parent, func(child ecs.Entity) { c.candidates = append(c.candidates, child) })
	}
}

// endChildren ends the rollback of the children of an entity that is not predicted any more.
func (c *children) endChildren(parent ecs.Entity) {
	if !c.any {
		return
	}
	c.each(parent, func(child ecs.Entity) {
		s := c.slotOf(child)
		switch {
		case !c.predicts(child) || c.store.Confirmed(s).Known || c.world.Has(child, c.marks[0]): // not, or not because of its parent
		case c.disabled[s].on: // it is despawned, and will be removed
		default:
			c.writer.Exchange(child, nil, c.mark, nil)
			c.endChildren(child)
		}
	})
}

// disconnect removes the children of parents that were removed with the connection. All other
// children stay in the world and belong to the game.
func (c *children) disconnect() {
	from := len(c.found)
	marked := ecs.All(c.mark...)
	for query := c.world.Query(&marked); query.Next(); {
		c.found = append(c.found, query.Entity())
	}
	for left := c.found[from:]; ; {
		kept := left[:0]
		for _, child := range left {
			if c.isOrphan(child) {
				c.writer.Remove(child)
			} else {
				kept = append(kept, child)
			}
		}
		if len(kept) == len(left) {
			break
		}
		left = kept
		c.found = c.found[:from+len(kept)]
	}
	for _, child := range c.found[from:] {
		c.writer.Exchange(child, nil, c.mark, nil)
	}
	c.found = c.found[:from]
}

// isOrphan reports whether the parent of an entity was removed. An entity that is despawned itself
// counts as an orphan too. A child that the game has taken off its parent does not.
func (c *children) isOrphan(child ecs.Entity) bool {
	for _, id := range c.relations {
		if c.world.Has(child, id) {
			to := c.world.Relations().Get(child, id)
			return !to.IsZero() && !c.world.Alive(to)
		}
	}
	slot, followed := c.table.SlotOf(child)
	return followed && c.disabled[rollback.Slot(slot)].on
}

// each calls do for all children of an entity.
func (c *children) each(parent ecs.Entity, do func(ecs.Entity)) {
	if !c.world.Alive(parent) {
		return
	}
	from := len(c.found)
	for _, id := range c.relations {
		c.ofRelation = ecs.All(id)
		c.ofParent = ecs.NewRelationFilter(&c.ofRelation, parent)
		for query := c.world.Query(&c.ofParent); query.Next(); {
			c.found = append(c.found, query.Entity())
		}
	}
	for i := from; i < len(c.found); i++ {
		do(c.found[i])
	}
	c.found = c.found[:from]
}
