package protocol

import (
	"reflect"

	"github.com/mlange-42/arche/ecs"
)

// isRelation reports whether a component is a relation, by Arche's own rule.
func isRelation(t reflect.Type) bool {
	if t.Kind() != reflect.Struct || t.NumField() == 0 {
		return false
	}
	relation := reflect.TypeFor[ecs.Relation]()
	first := t.Field(0)
	return first.Type == relation && first.Name == relation.Name()
}

// Hierarchy makes the relation T one between children and parents, like components.ChildOf: a child
// is replicated with its parent and in its group, and is removed from the server's world when its
// parent has been removed. T must be a relation of Arche: a struct with an embedded ecs.Relation as
// its first field.
func (r *ComponentRule[T]) Hierarchy() *ComponentRule[T] {
	if !r.def.option("Hierarchy") {
		return r
	}
	if !r.def.info.Relation {
		r.def.fail(ErrOptions, "Hierarchy is for relations: embed ecs.Relation as the first field, or remove Hierarchy")
	}
	r.def.info.Hierarchy = true
	return r
}

// checkRelation reports options that a relation cannot have.
func (r *componentRule) checkRelation() {
	i := &r.info
	switch {
	case i.Relation && i.Delta:
		r.unfit("Delta shortens values, and what changes of a relation is its target: remove Delta, or keep the values in a component of their own")
	case i.Hierarchy && i.Once:
		r.unfit("a child is in the group of its parent, which ReplicateOnce would not tell of: remove ReplicateOnce, or Hierarchy")
	}
}
