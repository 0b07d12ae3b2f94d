package message

import (
	"github.com/entangle-ecs/entangle/internal/world/inspect"
	"github.com/mlange-42/arche/ecs"
)

// Mirror returns the registered resources as they are now.
func (s *Resources) Mirror() (all []inspect.MirroredResource) {
	refs := inspect.MirrorRefs{Known: func(ecs.Entity) bool { return true }}
	for i := range s.List {
		r := &s.List[i]
		m := inspect.MirroredResource{On: r.On, Target: r.asked}
		if m.There = s.world.Resources().Has(r.id); m.There {
			m.Wire, m.Refs = refs.Resource(r.Info.Plan, s.world.Resources().Get(r.id))
		}
		all = append(all, m)
	}
	return all
}

// Mirror returns the registered resources. Those that the server has sent are present: predicted
// ones with their confirmed value, others with their value in the world.
func (c *ResourceCopy) Mirror() (all []inspect.MirroredResource) {
	refs := inspect.MirrorRefs{Known: c.applier.IsPresent}
	for i := range c.List {
		r := &c.List[i]
		m := inspect.MirroredResource{There: r.held && c.world.Resources().Has(r.ID)}
		switch {
		case !m.There:
		case c.by != nil && r.Confirmed != nil:
			m.Wire, m.Refs = refs.Resource(r.Info.Plan, r.Confirmed)
		default:
			m.Wire, m.Refs = refs.Resource(r.Info.Plan, c.world.Resources().Get(r.ID))
		}
		all = append(all, m)
	}
	return all
}
