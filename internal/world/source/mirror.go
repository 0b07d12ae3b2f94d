package source

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
	"github.com/entangle-ecs/entangle/internal/world/tick"
	"github.com/mlange-42/arche/ecs"
)

// Mirror returns the entities replicated from this side, as the world is now. The error is that of
// Observe.
func (c *Collector) Mirror(infos []*registry.Component) (m *inspect.Mirror, err error) {
	tick.DisplayOf(c.Arche).ReadSimulated(func() { m, err = c.mirror(infos) })
	return m, err
}

func (c *Collector) mirror(infos []*registry.Component) (*inspect.Mirror, error) {
	if err := c.Table.Sync(); err != nil {
		return nil, err
	}
	m := &inspect.Mirror{Components: infos, Tick: c.World.Tick()}
	refs := inspect.MirrorRefs{Known: func(ecs.Entity) bool { return true }}
	for s := range columns.Slot(c.Table.Slots()) {
		e := c.Table.Entity(s)
		if e.IsZero() {
			continue
		}
		if found, ok := c.Table.SlotOf(e); !ok || found != s {
			continue // reported as despawned
		}
		if c.Hierarchy.Propagation.Slots.withheld.Has(int(s)) {
			continue
		}
		m.Entities = append(m.Entities, c.mirrorEntity(s, e, &refs))
	}
	return m, nil
}

func (c *Collector) mirrorEntity(s columns.Slot, e ecs.Entity, refs *inspect.MirrorRefs) inspect.Mirrored {
	out := inspect.Mirrored{Entity: e, Tick: c.World.Tick(), Paused: c.Table.Marker(s) == nil}
	if out.Paused {
		return out
	}
	out.Group, out.Added = c.replicateOf(repl.Slot(s)).Group, c.Hierarchy.Propagation.Slots.added.Has(int(s))
	for comp := range c.Sent.Plans {
		if target, ok := c.Overridden(e, comp); ok {
			out.Overrides = append(out.Overrides, inspect.MirroredOverride{Component: comp, Target: target})
		}
	}
	mask := c.Sent.Numbers(c.Table.Mask(s))
	if c.Sent.prespawned >= 0 {
		mask.Clear(c.Sent.prespawned) // not all clients that see the entity get it
	}
	for comp := mask.Next(0); comp >= 0; comp = mask.Next(comp + 1) {
		out.Values = append(out.Values, refs.Value(comp, c.Sent.Plans[comp], c.Table.Value(s, comp), c.targetOf(s, comp)))
	}
	return out
}

func (c *Collector) Names(to *sender.Peer) (names []inspect.Named) {
	if to == nil {
		return nil
	}
	for s := range repl.Slot(c.Table.Slots()) {
		if id, ok := to.Named(s); ok {
			names = append(names, inspect.Named{ID: inspect.MirrorID(id), Entity: c.Table.Entity(columns.Slot(s))})
		}
	}
	return names
}

// targetOf returns the target of a relation, nil of another component.
func (c *Collector) targetOf(s columns.Slot, comp int) *ecs.Entity {
	if !c.Sent.relations.Has(comp) {
		return nil
	}
	target := c.Table.Target(s)
	if !c.Arche.Alive(target) || target == c.Table.Entity(s) {
		target = ecs.Entity{}
	}
	return &target
}

// Matters reports whether a living entity is relevant to a connected client now. own says whether
// the client owns it.
func (c *Collector) Matters(client entangle.ClientID, e ecs.Entity, own bool) bool {
	row, ok := c.interest.Row(client)
	if n, known := c.interest.Known(e); known {
		return ok && c.interest.relevance.Matters(row, n, own)
	}
	return ok && own
}
