package netsim

import (
	"reflect"
	"slices"
	"strings"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/systems"
)

// sight says who may see what of a server's world after a tick, by the rules that
// package components gives and as plainly as they can be written.
type sight struct {
	world   *ecs.World
	targets *components.Targets

	replicate, controlled, childless ecs.ID
	hierarchies                      []ecs.ID
}

func newSight(w *ecs.World, infos []*protocol.ComponentInfo) *sight {
	s := &sight{
		world: w, targets: &components.Targets{},
		replicate: ecs.ComponentID[components.Replicate](w), controlled: ecs.ComponentID[components.ControlledBy](w),
		childless: ecs.ComponentID[components.NoReplicateChildren](w),
	}
	for _, info := range infos {
		if info.Hierarchy || info.Type == reflect.TypeFor[components.ChildOf]() {
			s.hierarchies = append(s.hierarchies, ecs.TypeID(w, info.Type))
		}
	}
	if w.Resources().Has(ecs.ResourceID[components.Targets](w)) {
		s.targets = ecs.GetResource[components.Targets](w)
	}
	return s
}

// group is one that has a name, or an entity alone with all below it.
type group struct {
	name  components.Group
	alone ecs.Entity
}

// marker returns the Replicate of an entity, nil if it has none.
func (s *sight) marker(e ecs.Entity) *components.Replicate {
	if !s.world.Has(e, s.replicate) {
		return nil
	}
	return (*components.Replicate)(s.world.Get(e, s.replicate))
}

// above returns the parent that an entity goes with.
func (s *sight) above(e ecs.Entity) (parent ecs.Entity, ok bool) {
	for _, relation := range s.hierarchies {
		if !s.world.Has(e, relation) {
			continue
		}
		parent = s.world.Relations().Get(e, relation)
		ok = !parent.IsZero() && s.world.Alive(parent) && s.marker(parent) != nil && !s.world.Has(parent, s.childless)
		return parent, ok
	}
	return parent, false
}

// group returns the group of an entity that is replicated: its parent's, if it has
// one.
func (s *sight) group(e ecs.Entity) group {
	for parent, ok := s.above(e); ok; parent, ok = s.above(e) {
		e = parent
	}
	if m := s.marker(e); m != nil && m.Group != 0 {
		return group{name: m.Group}
	}
	return group{alone: e}
}

// visible is what a client may see of an entity.
type visible struct {
	sees bool
	// without are the numbers of the components that are hidden, a byte each.
	without string
}

// of returns the values that are not hidden.
func (v visible) of(all []systems.MirroredValue) []systems.MirroredValue {
	if v.without == "" {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(value systems.MirroredValue) bool {
		return strings.IndexByte(v.without, byte(value.Component)) >= 0
	})
}

func (s *sight) visible(e *systems.Mirrored, client entangle.ClientID) visible {
	v := visible{sees: s.sees(e.Entity, client)}
	for _, o := range e.Overrides {
		if !s.in(o.Target, e.Entity, client) {
			v.without += string([]byte{byte(o.Component)})
		}
	}
	return v
}

// sees reports whether a client may see an entity that is replicated: it is in the
// target, and sees the parent.
func (s *sight) sees(e ecs.Entity, client entangle.ClientID) bool {
	if parent, ok := s.above(e); ok && !s.sees(parent, client) {
		return false
	}
	m := s.marker(e)
	return m == nil || s.in(m.Target, e, client)
}

// in reports whether a client is in a target of an entity's.
func (s *sight) in(target components.Target, e ecs.Entity, client entangle.ClientID) bool {
	switch target {
	case components.Owner:
		return s.owns(client, e)
	case components.NotOwner:
		return !s.owns(client, e)
	default:
		return s.targets.Contains(target, client)
	}
}

func (s *sight) owns(client entangle.ClientID, e ecs.Entity) bool {
	return client != entangle.Nobody && s.world.Has(e, s.controlled) &&
		(*components.ControlledBy)(s.world.Get(e, s.controlled)).Client == client
}
