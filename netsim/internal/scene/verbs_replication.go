package scene

import (
	"fmt"
	"math"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/netsim/internal/script"
	"github.com/entangle-ecs/entangle/plugin"
)

// setTarget implements "target NAME TARGET", which sets the clients that receive an entity of the
// server's world, which has components.Replicate. TARGET is one of
//
//	default, everyone, nobody, owner, notowner
//	only CLIENTS, except CLIENTS
//	room NUMBER
//
// A client's number is its id.
func (c *commands) setTarget(args *script.Args, _ *script.Trace) {
	m, target := c.replicateArg(args), c.targetArg(args)
	if args.Err() == nil {
		m.Target = target
	}
}

// setOverride implements "override NAME COMPONENT TARGET|clear", which limits a component of an
// entity of the server's world to the clients of a target, out of those that receive the entity, or
// removes that limit. A target is written as for the verb target.
func (c *commands) setOverride(args *script.Args, _ *script.Trace) {
	_, e := c.entityArg(args)
	word := args.Word()
	t, ok := c.overrides[word]
	switch {
	case !ok:
		args.Fail(fmt.Errorf("nothing is known of overrides of %q; add Overridden of it to the scene with Use", word))
	case args.Take("clear"):
		t.clear(c.world(), e)
	default:
		if target := c.targetArg(args); args.Err() == nil {
			t.override(c.world(), e, target)
		}
	}
}

// setOwner implements "owner NAME CLIENT [keep]", which sets the client that controls an entity of
// the server's world, 0 for none. Without keep, the entity is despawned when that client
// disconnects.
func (c *commands) setOwner(args *script.Args, _ *script.Trace) {
	_, e := c.entityArg(args)
	by := components.ControlledBy{Client: entangle.ClientID(args.Int()), Keep: args.Take("keep")}
	if args.Err() == nil {
		c.putComponent(e, ecs.ComponentID[components.ControlledBy](c.world()), &by)
	}
}

// putComponent sets a component of an entity, or inserts it.
func (c *commands) putComponent(e ecs.Entity, id ecs.ID, value any) {
	if c.world().Has(e, id) {
		c.world().Set(e, id, value)
	} else {
		c.world().Assign(e, ecs.Component{ID: id, Comp: value})
	}
}

// moveToGroup implements "group NAME NUMBER", which moves an entity of the server's world, which
// has components.Replicate, to another group. 0 is a group of its own.
func (c *commands) moveToGroup(args *script.Args, _ *script.Trace) {
	m, n := c.replicateArg(args), args.Int64()
	if n > math.MaxUint32 {
		args.Fail(fmt.Errorf("a group has a number up to %d", uint32(math.MaxUint32)))
	}
	if args.Err() == nil {
		m.Group = components.Group(n)
	}
}

// setPredict implements "predict NAME TARGET", which sets the clients that predict an entity of the
// server's world, which has components.Replicate. A target is written as for the verb target.
func (c *commands) setPredict(args *script.Args, _ *script.Trace) {
	m, target := c.replicateArg(args), c.targetArg(args)
	if args.Err() == nil {
		m.Predict = target
	}
}

// setInterpolate implements "interpolate NAME TARGET", which sets the clients that interpolate an entity
// of the server's world, which has components.Replicate. A target is written as for the verb target.
func (c *commands) setInterpolate(args *script.Args, _ *script.Trace) {
	m, target := c.replicateArg(args), c.targetArg(args)
	if args.Err() == nil {
		m.Interpolate = target
	}
}

// teleport implements "teleport NAME", which marks the present values of an entity of the server's world
// as a teleport.
func (g *Game) teleport(c *commands, args *script.Args) {
	if _, e := c.entityArg(args); args.Err() == nil {
		plugin.Teleport(c.world(), e)
	}
}

// setSendRate implements "rate NAME every|priority|maxage NUMBER", which sets how often an entity
// of the server's world, which has components.Replicate, is sent: the fields SendEvery, Priority
// and MaxAge of that component.
func (c *commands) setSendRate(args *script.Args, _ *script.Trace) {
	m, what, n := c.replicateArg(args), args.Word(), args.Int()
	if args.Err() == nil {
		args.Fail(setRate(m, what, n))
	}
}

// setRate sets one of the rates of a Replicate.
func setRate(m *components.Replicate, what string, n int) error {
	if n > math.MaxUint16 {
		return fmt.Errorf("a rate has a number up to %d", math.MaxUint16)
	}
	switch what {
	case "every":
		m.SendEvery = uint16(n)
	case "priority":
		m.Priority = float32(n)
	case "maxage":
		m.MaxAge = uint16(n)
	default:
		return fmt.Errorf("%q is no rate; give every, priority or maxage", what)
	}
	return nil
}
