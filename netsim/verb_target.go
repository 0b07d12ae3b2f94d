package netsim

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
)

// target NAME TARGET sets the clients that receive an entity of the server's world, which has
// components.Replicate. TARGET is one of
//
//	default, everyone, nobody, owner, notowner
//	only CLIENTS, except CLIENTS
//	room NUMBER
//
// A client's number is its id.
func (c *cast) target(args *Args, _ *Trace) error {
	m, err := c.replicated(args)
	if err != nil {
		return err
	}
	target, err := c.takeTarget(args)
	if err == nil {
		m.Target = target
	}
	return err
}

// replicated takes the name of an entity that has Replicate.
func (c *cast) replicated(args *Args) (*components.Replicate, error) {
	name, e, err := c.entity(args)
	if err != nil {
		return nil, err
	}
	id := ecs.ComponentID[components.Replicate](c.world())
	if !c.world().Has(e, id) {
		return nil, noSubject("%q has no Replicate; insert it first", name)
	}
	return (*components.Replicate)(c.world().Get(e, id)), nil
}

var targetNames = map[string]components.Target{
	"default": components.Default, "everyone": components.Everyone, "nobody": components.Nobody,
	"owner": components.Owner, "notowner": components.NotOwner,
}

// takeTarget takes the words of a target.
func (c *cast) takeTarget(args *Args) (components.Target, error) {
	if args.Take("room") {
		room, err := args.Room()
		if err != nil {
			return 0, err
		}
		return c.targets().Room(room), nil
	}
	only, except := args.Take("only"), args.Take("except")
	if !only && !except {
		return targetNameOf(args)
	}
	ids, err := args.ids()
	if err != nil {
		return 0, err
	}
	sets := c.targets()
	if only {
		return sets.Only(ids...), nil
	}
	return sets.Except(ids...), nil
}

// targets returns the Targets resource of the server's world, adding it if necessary.
func (c *cast) targets() *components.Targets {
	id := ecs.ResourceID[components.Targets](c.world())
	if !c.world().Resources().Has(id) {
		c.world().Resources().Add(id, &components.Targets{})
	}
	return c.world().Resources().Get(id).(*components.Targets)
}

func targetNameOf(a *Args) (components.Target, error) {
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

// ids takes a list of client ids, whether those clients exist or not.
func (a *Args) ids() (ids []entangle.ClientID, err error) {
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
