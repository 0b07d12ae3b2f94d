package sink

import (
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
	"github.com/mlange-42/arche/ecs"
)

// Mirror returns the replicated state of this side: the confirmed state of predicted entities, and
// the present state of the world for all others, which includes changes by the game.
func (c *Copy) Mirror(infos []*registry.Component) *inspect.Mirror {
	m := &inspect.Mirror{Components: infos}
	refs := inspect.MirrorRefs{Known: func(e ecs.Entity) bool { _, ok := c.Slots[e]; return ok && c.world.Alive(e) }}
	for i := range c.entities {
		if e := &c.entities[i]; e.used {
			m.Entities = append(m.Entities, c.mirrored(repl.Slot(i), &refs))
		}
	}
	m.Sort()
	return m
}

// Predicted returns the entities that this side predicts, with the present values of the components
// that a rollback restores.
func (c *Copy) Predicted(infos []*registry.Component) *inspect.Mirror {
	m, tag := &inspect.Mirror{Components: infos}, ecs.ComponentID[components.Predicted](c.world)
	refs := inspect.MirrorRefs{Known: func(e ecs.Entity) bool { _, ok := c.Slots[e]; return ok && c.world.Alive(e) }}
	for i := range c.entities {
		e := &c.entities[i]
		if !e.used || !c.world.Alive(e.entity) || !c.world.Has(e.entity, tag) {
			continue
		}
		out := inspect.Mirrored{ID: inspect.MirrorID(c.Known[i].ID), Entity: e.entity, Tick: e.tick}
		for comp := range c.comps {
			if id := c.comps[comp].id; infos[comp].Predict == registry.Full && c.world.Has(e.entity, id) {
				plan := c.comps[comp].plan
				memory := c.writer.Bytes(e.entity, id)[:plan.Size()]
				out.Values = append(out.Values, refs.Value(comp, plan, memory, c.targetNow(e.entity, comp)))
			}
		}
		m.Entities = append(m.Entities, out)
	}
	m.Sort()
	return m
}

// targetNow returns the relation target in the world, or nil if the component is no relation.
func (c *Copy) targetNow(e ecs.Entity, comp int) *ecs.Entity {
	if !c.comps[comp].relation {
		return nil
	}
	target := c.world.Relations().Get(e, c.comps[comp].id)
	return &target
}

func (c *Copy) mirrored(s repl.Slot, refs *inspect.MirrorRefs) inspect.Mirrored {
	e := &c.entities[s]
	out := inspect.Mirrored{ID: inspect.MirrorID(c.Known[s].ID), Entity: e.entity, Tick: e.tick}
	for comp := range c.comps {
		if memory, ok := c.said(s, comp); ok {
			plan := c.comps[comp].plan
			out.Values = append(out.Values, refs.Value(comp, plan, memory[:plan.Size()], c.targetOf(s, comp)))
		}
	}
	return out
}

func (c *Copy) targetOf(s repl.Slot, comp int) *ecs.Entity {
	if !c.comps[comp].relation {
		return nil
	}
	target := c.saidTarget(s, comp)
	return &target
}
