package sink

import (
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
	"github.com/entangle-ecs/entangle/internal/world/tick"
	"github.com/mlange-42/arche/ecs"
)

// Mirror returns the replicated state of this side: the confirmed state of predicted entities, and
// the present state of the world for all others, which includes changes by the game.
func (a *Applier) Mirror(infos []*registry.Component) *inspect.Mirror {
	m := &inspect.Mirror{Components: infos}
	refs := inspect.MirrorRefs{Known: a.IsPresent}
	tick.DisplayOf(a.world).ReadSimulated(func() {
		for i := range a.Replicas.entities {
			if e := &a.Replicas.entities[i]; e.used && !a.isLeaving(repl.Slot(i)) {
				m.Entities = append(m.Entities, a.mirrorReplica(repl.Slot(i), infos, &refs))
			}
		}
	})
	m.Sort()
	return m
}

// Predicted returns the entities that this side predicts, with the present values of the components
// that a rollback restores.
func (a *Applier) Predicted(infos []*registry.Component) *inspect.Mirror {
	m, tag := &inspect.Mirror{Components: infos}, ecs.ComponentID[components.Predicted](a.world)
	refs := inspect.MirrorRefs{Known: a.IsPresent}
	tick.DisplayOf(a.world).ReadSimulated(func() {
		for i := range a.Replicas.entities {
			if e := &a.Replicas.entities[i]; e.used && a.world.Alive(e.entity) && a.world.Has(e.entity, tag) {
				m.Entities = append(m.Entities, a.mirrorPredicted(repl.Slot(i), infos, &refs))
			}
		}
	})
	m.Sort()
	return m
}

func (a *Applier) mirrorPredicted(s repl.Slot, infos []*registry.Component, refs *inspect.MirrorRefs) inspect.Mirrored {
	e := &a.Replicas.entities[s]
	out := inspect.Mirrored{ID: inspect.MirrorID(a.Replicas.Info[s].ID), Entity: e.entity, Tick: e.tick}
	for comp := range a.comps {
		if id := a.comps[comp].id; infos[comp].Predict == registry.Full && a.world.Has(e.entity, id) {
			plan := a.comps[comp].plan
			memory := a.writer.Bytes(e.entity, id)[:plan.Size()]
			out.Values = append(out.Values, refs.Value(comp, plan, memory, a.targetNow(e.entity, comp)))
		}
	}
	return out
}

// IsPresent reports whether an entity is a replica that is in the world, and stays there.
func (a *Applier) IsPresent(e ecs.Entity) bool {
	s, ok := a.Replicas.Slot(e)
	return ok && a.world.Alive(e) && !a.isLeaving(s)
}

// targetNow returns the relation target in the world, or nil if the component is no relation.
func (a *Applier) targetNow(e ecs.Entity, comp int) *ecs.Entity {
	if !a.comps[comp].relation {
		return nil
	}
	target := a.world.Relations().Get(e, a.comps[comp].id)
	return &target
}

func (a *Applier) mirrorReplica(s repl.Slot, infos []*registry.Component, refs *inspect.MirrorRefs) inspect.Mirrored {
	e := &a.Replicas.entities[s]
	out := inspect.Mirrored{ID: inspect.MirrorID(a.Replicas.Info[s].ID), Entity: e.entity, Tick: e.tick}
	for comp := range a.comps {
		if comp == a.interpolation.comp || comp == a.prespawns.comp {
			continue // the server's world does not have it, or not all clients that see the entity get it
		}
		if memory, ok := a.confirmedValue(s, comp); ok {
			plan := a.comps[comp].plan
			out.Values = append(out.Values, refs.Value(comp, plan, memory[:plan.Size()], a.targetOf(s, comp)))
		}
	}
	return out
}

func (a *Applier) targetOf(s repl.Slot, comp int) *ecs.Entity {
	if !a.comps[comp].relation {
		return nil
	}
	target := a.confirmedTarget(s, comp)
	return &target
}
