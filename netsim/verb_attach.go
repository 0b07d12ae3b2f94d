package netsim

import (
	"errors"
	"reflect"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/components"
)

// attach NAME PARENT [RELATION] makes an entity of the server's world a child of another one, or
// relates the two by another relation than components.ChildOf. An entity has one relation: a new
// one replaces the old one.
func (c *cast) attach(args *Args, _ *Trace) error {
	name, e, err := c.entity(args)
	if err != nil {
		return err
	}
	parentName, parent, err := c.entity(args)
	if err != nil {
		return err
	}
	id := ecs.ComponentID[components.ChildOf](c.world())
	if args.Len() > 0 {
		if id, err = c.relation(args); err != nil {
			return err
		}
	}
	if c.above(parent, e) {
		return noSubject("%q stands above %q already", name, parentName)
	}
	c.relate(e, id, parent)
	return nil
}

// relate sets the relation of an entity, replacing the one that it has.
func (c *cast) relate(e ecs.Entity, id ecs.ID, to ecs.Entity) {
	w := c.world()
	if have, ok := c.relationOf(e); ok && have == id {
		w.Relations().Set(e, id, to)
	} else if ok {
		w.Relations().Exchange(e, []ecs.ID{id}, []ecs.ID{have}, id, to)
	} else {
		w.Relations().Exchange(e, []ecs.ID{id}, nil, id, to)
	}
}

// relation takes the name of a component that is a relation.
func (c *cast) relation(args *Args) (id ecs.ID, err error) {
	word, err := args.Word()
	if err != nil {
		return id, err
	}
	t, err := c.componentType(word)
	if err != nil {
		return id, err
	}
	if !isRelation(t) {
		return id, errors.New(word + " is no relation; embed ecs.Relation as its first field")
	}
	return ecs.TypeID(c.world(), t), nil
}

// relationOf returns the relation that an entity has.
func (c *cast) relationOf(e ecs.Entity) (id ecs.ID, ok bool) {
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

// above reports whether e equals other or is one of its descendants.
func (c *cast) above(e, other ecs.Entity) bool {
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
