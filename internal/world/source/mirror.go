package source

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
	"github.com/mlange-42/arche/ecs"
)

// Mirror returns the entities replicated from this side, as the world is now. The error is that of
// Observe.
func (p *Publisher) Mirror(infos []*registry.Component) (*inspect.Mirror, error) {
	if err := p.Table.Sync(); err != nil {
		return nil, err
	}
	m := &inspect.Mirror{Components: infos, Tick: p.Sender.Tick()}
	refs := inspect.MirrorRefs{Known: func(ecs.Entity) bool { return true }}
	for s := range columns.Slot(p.Table.Slots()) {
		e := p.Table.Entity(s)
		if e.IsZero() {
			continue
		}
		if found, ok := p.Table.SlotOf(e); !ok || found != s {
			continue // reported as despawned
		}
		if p.Family.Kindred.withheld.Has(int(s)) {
			continue
		}
		m.Entities = append(m.Entities, p.mirrored(s, e, &refs))
	}
	return m, nil
}

func (p *Publisher) mirrored(s columns.Slot, e ecs.Entity, refs *inspect.MirrorRefs) inspect.Mirrored {
	out := inspect.Mirrored{Entity: e, Tick: p.Sender.Tick(), Paused: p.Table.Marker(s) == nil}
	if out.Paused {
		return out
	}
	out.Group = p.replicate(repl.Slot(s)).Group
	for comp := range p.Plans {
		if target, ok := p.Overridden(e, comp); ok {
			out.Overrides = append(out.Overrides, inspect.MirroredOverride{Component: comp, Target: target})
		}
	}
	mask := p.Numbers(p.Table.Mask(s))
	for comp := mask.Next(0); comp >= 0; comp = mask.Next(comp + 1) {
		out.Values = append(out.Values, refs.Value(comp, p.Plans[comp], p.Table.Value(s, p.cols[comp]), p.targetOf(s, comp)))
	}
	return out
}

func (p *Publisher) Names(to *sender.Peer) (names []inspect.Named) {
	if to == nil {
		return nil
	}
	for s := range repl.Slot(p.Table.Slots()) {
		if id, ok := to.Named(s); ok {
			names = append(names, inspect.Named{ID: inspect.MirrorID(id), Entity: p.Table.Entity(columns.Slot(s))})
		}
	}
	return names
}

// targetOf returns the target of a relation, nil of another component.
func (p *Publisher) targetOf(s columns.Slot, comp int) *ecs.Entity {
	if !p.relations.Has(p.cols[comp]) {
		return nil
	}
	target := p.Table.Target(s)
	if !p.Arche.Alive(target) || target == p.Table.Entity(s) {
		target = ecs.Entity{}
	}
	return &target
}

// Matters reports whether a living entity is relevant to a connected client now. own says whether
// the client owns it.
func (p *Publisher) Matters(client entangle.ClientID, e ecs.Entity, own bool) bool {
	row, ok := p.interest.Row(client)
	if n, known := p.interest.Known(e); known {
		return ok && p.interest.relevance.Matters(row, n, own)
	}
	return ok && own
}
