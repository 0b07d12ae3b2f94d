package scene

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/netsim/internal/script"
)

// clientArgs takes a list of clients. If there is none, it returns all.
func (c *commands) clientArgs(args *script.Args) ([]int, error) {
	return args.Clients(c.scene.Clients())
}

// entityArg takes the name of an entity that exists in the server's world.
func (c *commands) entityArg(args *script.Args) (name string, e ecs.Entity, err error) {
	name, err = args.Word()
	if err != nil {
		return "", e, err
	}
	e, ok := c.entities[name]
	if !ok {
		return "", e, script.NoSubject("no entity was spawned as %q", name)
	}
	if !c.world().Alive(e) {
		return "", e, script.NoSubject("%q is despawned", name)
	}
	return name, e, nil
}

// componentArgs takes all remaining words as components with optional values, such as Health or
// Position=1,2.
func (c *commands) componentArgs(args *script.Args) ([]ecs.Component, error) {
	if args.Len() == 0 {
		return nil, script.ErrMissing
	}
	var all []ecs.Component
	for _, word := range args.Rest() {
		component, err := c.parseComponent(word)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(all, func(other ecs.Component) bool { return other.ID == component.ID }) {
			return nil, fmt.Errorf("the component %s stands there twice", word)
		}
		all = append(all, component)
	}
	return all, nil
}

// parseComponent parses a component with an optional value.
func (c *commands) parseComponent(word string) (ecs.Component, error) {
	name, text, hasValue := strings.Cut(word, "=")
	t, err := c.componentType(name)
	if err != nil {
		return ecs.Component{}, err
	}
	value := reflect.New(t)
	if hasValue {
		if err := script.ParseValue(value.Elem(), text, c.entities); err != nil {
			return ecs.Component{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	return ecs.Component{ID: ecs.TypeID(c.world(), t), Comp: value.Interface()}, nil
}

// componentType returns a component type by its name.
func (c *commands) componentType(name string) (reflect.Type, error) {
	t, ok := c.types[name]
	if !ok {
		known := make([]string, 0, len(c.types))
		for name := range c.types {
			known = append(known, name)
		}
		slices.Sort(known)
		return nil, fmt.Errorf("no component %q; there are %s", name, strings.Join(known, ", "))
	}
	return t, nil
}

// replicateArg takes the name of an entity that has Replicate.
func (c *commands) replicateArg(args *script.Args) (*components.Replicate, error) {
	name, e, err := c.entityArg(args)
	if err != nil {
		return nil, err
	}
	id := ecs.ComponentID[components.Replicate](c.world())
	if !c.world().Has(e, id) {
		return nil, script.NoSubject("%q has no Replicate; insert it first", name)
	}
	return (*components.Replicate)(c.world().Get(e, id)), nil
}

var targetNames = map[string]components.Target{
	"default": components.Default, "everyone": components.Everyone, "nobody": components.Nobody,
	"owner": components.Owner, "notowner": components.NotOwner,
}

// targetArg takes the words of a target.
func (c *commands) targetArg(args *script.Args) (components.Target, error) {
	if args.Take("room") {
		room, err := roomArg(args)
		if err != nil {
			return 0, err
		}
		return c.targetSets().Room(room), nil
	}
	only, except := args.Take("only"), args.Take("except")
	if !only && !except {
		return targetNameArg(args)
	}
	ids, err := clientIDArgs(args)
	if err != nil {
		return 0, err
	}
	sets := c.targetSets()
	if only {
		return sets.Only(ids...), nil
	}
	return sets.Except(ids...), nil
}

// targetSets returns the Targets resource of the server's world, adding it if necessary.
func (c *commands) targetSets() *components.Targets {
	id := ecs.ResourceID[components.Targets](c.world())
	if !c.world().Resources().Has(id) {
		c.world().Resources().Add(id, &components.Targets{})
	}
	return c.world().Resources().Get(id).(*components.Targets)
}

// targetNameArg takes the name of a target that needs no other words.
func targetNameArg(a *script.Args) (components.Target, error) {
	word, err := a.Word()
	if err != nil {
		return 0, err
	}
	target, ok := targetNames[word]
	if !ok {
		return 0, errors.New(word + " is no target; give default, everyone, nobody, owner, notowner, only CLIENTS, except CLIENTS or room NUMBER")
	}
	return target, nil
}

// clientIDArgs takes a list of client ids, whether those clients exist or not.
func clientIDArgs(a *script.Args) (ids []entangle.ClientID, err error) {
	word, err := a.Word()
	if err != nil {
		return nil, err
	}
	for number := range strings.SplitSeq(word, ",") {
		id, err := strconv.ParseUint(number, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%q is no client; give its number", number)
		}
		ids = append(ids, entangle.ClientID(id))
	}
	return ids, nil
}

// roomArg takes the number of a room.
func roomArg(a *script.Args) (components.Room, error) {
	n, err := a.Int()
	if err == nil && (n <= 0 || uint64(n) >= 1<<31) {
		err = fmt.Errorf("%d is no room; give a number from 1 to %d", n, 1<<31-1)
	}
	return components.Room(n), err
}
