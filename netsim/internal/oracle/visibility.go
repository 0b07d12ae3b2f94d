package oracle

import (
	"reflect"
	"slices"
	"strings"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
)

// visibility holds the rules of package components, by which it computes in the simplest way which
// client may see which parts of a server's world.
type visibility struct {
	world    *ecs.World
	targets  *components.Targets
	relevant Relevance

	replicate, controlled, childless ecs.ID
	hierarchies                      []ecs.ID
}

func newVisibility(w *ecs.World, infos []*registry.Component, relevance Relevance) *visibility {
	v := &visibility{
		world: w, targets: &components.Targets{}, relevant: relevance,
		replicate: ecs.ComponentID[components.Replicate](w), controlled: ecs.ComponentID[components.ControlledBy](w),
		childless: ecs.ComponentID[components.NoReplicateChildren](w),
	}
	for _, info := range infos {
		if info.Hierarchy || info.Type == reflect.TypeFor[components.ChildOf]() {
			v.hierarchies = append(v.hierarchies, ecs.TypeID(w, info.Type))
		}
	}
	if w.Resources().Has(ecs.ResourceID[components.Targets](w)) {
		v.targets = ecs.GetResource[components.Targets](w)
	}
	return v
}

// group is a named group, or an ungrouped entity with all its descendants.
type group struct {
	name  components.Group
	alone ecs.Entity
}

// replicateOf returns the Replicate of an entity, or nil if it has none.
func (v *visibility) replicateOf(e ecs.Entity) *components.Replicate {
	if !v.world.Has(e, v.replicate) {
		return nil
	}
	return (*components.Replicate)(v.world.Get(e, v.replicate))
}

// relationOf returns the parent of an entity, replicated or not, and whether it has a relation to
// one.
func (v *visibility) relationOf(e ecs.Entity) (parent ecs.Entity, related bool) {
	for _, relation := range v.hierarchies {
		if v.world.Has(e, relation) {
			return v.world.Relations().Get(e, relation), true
		}
	}
	return parent, false
}

// parentOf returns the parent that shares its group with an entity.
func (v *visibility) parentOf(e ecs.Entity) (parent ecs.Entity, ok bool) {
	parent, _ = v.relationOf(e)
	ok = !parent.IsZero() && v.world.Alive(parent) && v.replicateOf(parent) != nil && !v.world.Has(parent, v.childless)
	return parent, ok
}

// excludingParentOf returns the parent of an entity if it is replicated without its children, or
// else the zero entity.
func (v *visibility) excludingParentOf(e ecs.Entity) ecs.Entity {
	parent, _ := v.relationOf(e)
	if parent.IsZero() || !v.world.Alive(parent) || v.replicateOf(parent) == nil || !v.world.Has(parent, v.childless) {
		return ecs.Entity{}
	}
	return parent
}

// addParents adds all entities with children to a set.
func (v *visibility) addParents(all map[ecs.Entity]bool) {
	for _, relation := range v.hierarchies {
		children := ecs.All(relation)
		for q := v.world.Query(&children); q.Next(); {
			all[q.Relation(relation)] = true
		}
	}
}

// pausedParentOf returns the paused parent of an entity, or the zero entity if there is none. While
// it is paused, the parent is not in the entity's group.
func (v *visibility) pausedParentOf(e ecs.Entity, paused map[ecs.Entity]bool) (parent ecs.Entity) {
	if parent, _ = v.relationOf(e); paused[parent] && !v.world.Has(parent, v.childless) {
		return parent
	}
	return ecs.Entity{}
}

// groupOf returns the group of a replicated entity. A child has the group of its parent.
func (v *visibility) groupOf(e ecs.Entity) group {
	for parent, ok := v.parentOf(e); ok; parent, ok = v.parentOf(e) {
		e = parent
	}
	if m := v.replicateOf(e); m != nil && m.Group != 0 {
		return group{name: m.Group}
	}
	return group{alone: e}
}

// view is one client's view of an entity.
type view struct {
	sees bool
	// barred: the entity's target, or that of an ancestor, excludes the client.
	barred bool
	// retained: the client no longer sees the entity and retains its last state, if it had the
	// entity, and if it has not changed its group since.
	retained bool
	// hidden holds the numbers of the hidden components, one byte each.
	hidden string
}

// visibleValues returns the values that are not hidden.
func (v view) visibleValues(all []inspect.MirroredValue) []inspect.MirroredValue {
	if v.hidden == "" {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(value inspect.MirroredValue) bool { return v.hides(value.Component) })
}

// hides reports whether a component is hidden.
func (v view) hides(component int) bool { return strings.IndexByte(v.hidden, byte(component)) >= 0 }
