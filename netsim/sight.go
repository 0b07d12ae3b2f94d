package netsim

import (
	"reflect"
	"slices"
	"strings"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
)

// sight computes the visibility of a server's world after a tick for each client, by the rules that
// package components documents, in the simplest way.
type sight struct {
	world     *ecs.World
	targets   *components.Targets
	mattering mattering

	replicate, controlled, childless ecs.ID
	hierarchies                      []ecs.ID
}

func newSight(w *ecs.World, infos []*registry.Component, what mattering) *sight {
	s := &sight{
		world: w, targets: &components.Targets{}, mattering: what,
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

// group is a named group, or an ungrouped entity with all its descendants.
type group struct {
	name  components.Group
	alone ecs.Entity
}

// marker returns the Replicate of an entity, or nil if it has none.
func (s *sight) marker(e ecs.Entity) *components.Replicate {
	if !s.world.Has(e, s.replicate) {
		return nil
	}
	return (*components.Replicate)(s.world.Get(e, s.replicate))
}

// above returns the parent that shares its group with an entity.
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

// addParents adds all entities with children to a set.
func (s *sight) addParents(all map[ecs.Entity]bool) {
	for _, relation := range s.hierarchies {
		children := ecs.All(relation)
		for q := s.world.Query(&children); q.Next(); {
			all[q.Relation(relation)] = true
		}
	}
}

// behind returns the paused parent of an entity, or the zero entity if there is none. While it is
// paused, the parent is not in the entity's group.
func (s *sight) behind(e ecs.Entity, paused map[ecs.Entity]bool) (parent ecs.Entity) {
	for _, relation := range s.hierarchies {
		if !s.world.Has(e, relation) {
			continue
		}
		if parent = s.world.Relations().Get(e, relation); paused[parent] && !s.world.Has(parent, s.childless) {
			return parent
		}
	}
	return ecs.Entity{}
}

// group returns the group of a replicated entity. A child has the group of its parent.
func (s *sight) group(e ecs.Entity) group {
	for parent, ok := s.above(e); ok; parent, ok = s.above(e) {
		e = parent
	}
	if m := s.marker(e); m != nil && m.Group != 0 {
		return group{name: m.Group}
	}
	return group{alone: e}
}

// visible is one client's view of an entity.
type visible struct {
	sees bool
	// barred: the entity's target, or that of an ancestor, excludes the client.
	barred bool
	// kept: the client no longer sees the entity and retains its last state, if it had the entity.
	kept bool
	// without holds the numbers of the hidden components, one byte each.
	without string
}

// of returns the values that are not hidden.
func (v visible) of(all []inspect.MirroredValue) []inspect.MirroredValue {
	if v.without == "" {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(value inspect.MirroredValue) bool { return v.hides(value.Component) })
}

// hides reports whether a component is hidden.
func (v visible) hides(component int) bool { return strings.IndexByte(v.without, byte(component)) >= 0 }
