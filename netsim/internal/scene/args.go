package scene

import (
	"errors"
	"fmt"
	"maps"
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
func (c *commands) clientArgs(args *script.Args) []int {
	return args.Clients(c.scene.Clients())
}

// someClientArgs is clientArgs of a command that has to name the clients, or all.
func (c *commands) someClientArgs(args *script.Args) []int {
	if args.Len() == 0 {
		args.Fail(script.ErrMissing)
	}
	return c.clientArgs(args)
}

// entityArg takes the name of an entity that exists in the server's world.
func (c *commands) entityArg(args *script.Args) (name string, e ecs.Entity) {
	name = args.Word()
	e, ok := c.entities[name]
	switch {
	case !ok:
		args.Fail(script.NoSubject("no entity was spawned as %q", name))
	case !c.world().Alive(e):
		args.Fail(script.NoSubject("%q is despawned", name))
	}
	return name, e
}

// componentArgs takes all remaining words as components with optional values, such as Health or
// Position=1,2.
func (c *commands) componentArgs(args *script.Args) (all []ecs.Component) {
	if args.Len() == 0 {
		args.Fail(script.ErrMissing)
	}
	for _, word := range args.Rest() {
		component := c.parseComponent(args, word)
		if slices.ContainsFunc(all, func(other ecs.Component) bool { return other.ID == component.ID }) {
			args.Fail(fmt.Errorf("the component %s stands there twice", word))
		}
		all = append(all, component)
	}
	return all
}

// parseComponent parses a component with an optional value.
func (c *commands) parseComponent(args *script.Args, word string) (component ecs.Component) {
	name, text, hasValue := strings.Cut(word, "=")
	t, err := c.componentType(name)
	if err != nil {
		args.Fail(err)
		return component
	}
	value := c.parseValue(args, t, name, text, hasValue)
	return ecs.Component{ID: ecs.TypeID(c.world(), t), Comp: value.Interface()}
}

// parseValue returns a pointer to a new value of a component or resource, with its text if it has one.
func (c *commands) parseValue(args *script.Args, t reflect.Type, name, text string, hasText bool) reflect.Value {
	value := reflect.New(t)
	if hasText {
		if err := script.ParseValue(value.Elem(), text, c.entities); err != nil {
			args.Fail(fmt.Errorf("%s: %w", name, err))
		}
	}
	return value
}

// componentType returns a component type by its name.
func (c *commands) componentType(name string) (reflect.Type, error) {
	t, ok := c.types[name]
	if !ok {
		return nil, fmt.Errorf("no component %q; there are %s", name, strings.Join(slices.Sorted(maps.Keys(c.types)), ", "))
	}
	return t, nil
}

// replicateArg takes the name of an entity that has Replicate.
func (c *commands) replicateArg(args *script.Args) *components.Replicate {
	name, e := c.entityArg(args)
	if args.Err() != nil {
		return nil
	}
	id := ecs.ComponentID[components.Replicate](c.world())
	if !c.world().Has(e, id) {
		args.Fail(script.NoSubject("%q has no Replicate; insert it first", name))
		return nil
	}
	return (*components.Replicate)(c.world().Get(e, id))
}

var targetNames = map[string]components.Target{
	"default": components.Default, "everyone": components.Everyone, "nobody": components.Nobody,
	"owner": components.Owner, "notowner": components.NotOwner,
}

// targetArg takes the words of a target.
func (c *commands) targetArg(args *script.Args) (target components.Target) {
	switch {
	case args.Take("room"):
		if room := roomArg(args); args.Err() == nil {
			target = c.targetSets().Room(room)
		}
	case args.Take("only"):
		if ids := clientIDArgs(args); args.Err() == nil {
			target = c.targetSets().Only(ids...)
		}
	case args.Take("except"):
		if ids := clientIDArgs(args); args.Err() == nil {
			target = c.targetSets().Except(ids...)
		}
	default:
		target = targetNameArg(args)
	}
	return target
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
func targetNameArg(a *script.Args) components.Target {
	word := a.Word()
	target, ok := targetNames[word]
	if !ok {
		a.Fail(errors.New(word + " is no target; give default, everyone, nobody, owner, notowner, only CLIENTS, except CLIENTS or room NUMBER"))
	}
	return target
}

// clientIDArgs takes a list of client ids, whether those clients exist or not.
func clientIDArgs(a *script.Args) (ids []entangle.ClientID) {
	for number := range strings.SplitSeq(a.Word(), ",") {
		id, err := strconv.ParseUint(number, 10, 64)
		if err != nil {
			a.Fail(fmt.Errorf("%q is no client; give its number", number))
			return nil
		}
		ids = append(ids, entangle.ClientID(id))
	}
	return ids
}

// roomArg takes the number of a room.
func roomArg(a *script.Args) components.Room {
	n := a.Int()
	if n <= 0 || uint64(n) >= 1<<31 {
		a.Fail(fmt.Errorf("%d is no room; give a number from 1 to %d", n, 1<<31-1))
	}
	return components.Room(n)
}
