package scene

import (
	"errors"
	"reflect"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/netsim/internal/script"
)

// attachEntity implements "attach NAME PARENT [RELATION]", which makes an entity of the server's
// world a child of another one, or relates the two by a relation other than components.ChildOf. An
// entity has one relation: a new one replaces the old one.
func (c *commands) attachEntity(args *script.Args, _ *script.Trace) {
	name, e := c.entityArg(args)
	parentName, parent := c.entityArg(args)
	id := ecs.ComponentID[components.ChildOf](c.world())
	if args.Len() > 0 {
		id = c.relationArg(args)
	}
	if args.Err() == nil && c.isDescendant(parent, e) {
		args.Fail(script.NoSubject("%q stands above %q already", name, parentName))
	}
	if args.Err() == nil {
		c.setRelation(e, id, parent)
	}
}

// setRelation sets the relation of an entity, replacing the one that it has.
func (c *commands) setRelation(e ecs.Entity, id ecs.ID, to ecs.Entity) {
	w := c.world()
	if have, ok := c.relationOf(e); ok && have == id {
		w.Relations().Set(e, id, to)
	} else if ok {
		w.Relations().Exchange(e, []ecs.ID{id}, []ecs.ID{have}, id, to)
	} else {
		w.Relations().Exchange(e, []ecs.ID{id}, nil, id, to)
	}
}

// relationArg takes the name of a component that is a relation.
func (c *commands) relationArg(args *script.Args) (id ecs.ID) {
	word := args.Word()
	t, err := c.componentType(word)
	switch {
	case err != nil:
		args.Fail(err)
	case !isRelation(t):
		args.Fail(errors.New(word + " is no relation; embed ecs.Relation as its first field"))
	default:
		id = ecs.TypeID(c.world(), t)
	}
	return id
}

// relationOf returns the relation that an entity has.
func (c *commands) relationOf(e ecs.Entity) (id ecs.ID, ok bool) {
	for _, id := range c.world().Ids(e) {
		if info, _ := ecs.ComponentInfo(c.world(), id); isRelation(info.Type) {
			return id, true
		}
	}
	return id, false
}

func isRelation(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t.NumField() > 0 && t.Field(0).Type == reflect.TypeFor[ecs.Relation]()
}

// isDescendant reports whether e equals other or is one of its descendants.
func (c *commands) isDescendant(e, other ecs.Entity) bool {
	for !e.IsZero() && c.world().Alive(e) {
		if e == other {
			return true
		}
		id, ok := c.relationOf(e)
		if !ok {
			return false
		}
		e = c.world().Relations().Get(e, id)
	}
	return false
}

// detachEntity implements "detach NAME [keep]", which removes the relation of an entity of the
// server's world, or with keep only the relation's target.
func (c *commands) detachEntity(args *script.Args, _ *script.Trace) {
	name, e := c.entityArg(args)
	if args.Err() != nil {
		return
	}
	switch id, ok := c.relationOf(e); {
	case !ok:
		args.Fail(script.NoSubject("%q has no relation", name))
	case args.Take("keep"):
		c.world().Relations().Set(e, id, ecs.Entity{})
	default:
		c.world().Remove(e, id)
	}
}
