package systems

import (
	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// MirroredResource is one registered resource.
type MirroredResource struct {
	// On: a server replicates it. A client is told nothing of that.
	On bool
	// Target that a server replicates it to.
	Target components.Target
	// There: the world of a server has it; a client holds one of its server.
	There bool
	// Wire is the value as it is sent, but with entities as places in Refs; nil for
	// a value that can't be sent.
	Wire []byte
	Refs []ecs.Entity
}

// Mirror returns the registered resources as they are now.
func (s *Resources) Mirror() (all []MirroredResource) {
	refs := mirrorRefs{known: func(ecs.Entity) bool { return true }}
	for i := range s.list {
		r := &s.list[i]
		m := MirroredResource{On: r.on, Target: r.asked}
		if m.There = s.world.Resources().Has(r.id); m.There {
			m.Wire, m.Refs = refs.resource(r.info.Plan, s.world.Resources().Get(r.id))
		}
		all = append(all, m)
	}
	return all
}

// Mirror returns the registered resources, of which those are there that the server
// has sent: of those that roll back as it said them, of others as the world has them.
func (c *ResourceCopy) Mirror() (all []MirroredResource) {
	refs := mirrorRefs{known: func(e ecs.Entity) bool { _, ok := c.copy.slots[e]; return ok && c.world.Alive(e) }}
	for i := range c.list {
		r := &c.list[i]
		m := MirroredResource{There: r.held && c.world.Resources().Has(r.id)}
		switch {
		case !m.There:
		case c.by != nil && r.word != nil:
			m.Wire, m.Refs = refs.resource(r.info.Plan, r.word)
		default:
			m.Wire, m.Refs = refs.resource(r.info.Plan, c.world.Resources().Get(r.id))
		}
		all = append(all, m)
	}
	return all
}

// resource encodes one resource.
func (m *mirrorRefs) resource(plan *protocol.Plan, value any) ([]byte, []ecs.Entity) {
	var w bits.Writer
	m.refs = nil
	if _, err := plan.EncodeAny(&w, value, m); err != nil {
		return nil, nil
	}
	return append([]byte{}, w.Finish()...), m.refs
}
