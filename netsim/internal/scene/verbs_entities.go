package scene

import (
	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/netsim/internal/script"
)

// spawnEntity implements "spawn NAME COMPONENTS", which creates an entity in the server's world.
// Components are written as Health, with values as Position=1,2, or with some fields by name as
// Position=Y:2. The name of a despawned entity may be used again.
func (c *commands) spawnEntity(args *script.Args, _ *script.Trace) {
	name := args.Word()
	if e, taken := c.entities[name]; taken && c.world().Alive(e) {
		args.Fail(script.NoSubject("%q lives already", name))
	}
	if components := c.componentArgs(args); args.Err() == nil {
		c.entities[name] = c.world().NewEntityWith(components...)
	}
}

// despawnEntity implements "despawn NAME", which removes an entity from the server's world.
func (c *commands) despawnEntity(args *script.Args, _ *script.Trace) {
	if _, e := c.entityArg(args); args.Err() == nil {
		c.world().RemoveEntity(e)
	}
}

// insertComponents implements "insert NAME COMPONENTS", which adds components to an entity of the
// server's world, which must not have them.
func (c *commands) insertComponents(args *script.Args, _ *script.Trace) {
	name, e := c.entityArg(args)
	components := c.componentArgs(args)
	for _, component := range components {
		if args.Err() == nil && c.world().Has(e, component.ID) {
			args.Fail(script.NoSubject("%q has the component %T already", name, component.Comp))
		}
	}
	if args.Err() == nil {
		c.world().Assign(e, components...)
	}
}

// removeComponents implements "remove NAME COMPONENTS", which removes components from an entity of
// the server's world.
func (c *commands) removeComponents(args *script.Args, _ *script.Trace) {
	name, e := c.entityArg(args)
	if args.Len() == 0 {
		args.Fail(script.ErrMissing)
	}
	var ids []ecs.ID
	for _, word := range args.Rest() {
		t, err := c.componentType(word)
		if err != nil {
			args.Fail(err)
			return
		}
		id := ecs.TypeID(c.world(), t)
		if !c.world().Has(e, id) {
			args.Fail(script.NoSubject("%q has no %s", name, word))
		}
		ids = append(ids, id)
	}
	if args.Err() == nil {
		c.world().Remove(e, ids...)
	}
}

// setComponents implements "set NAME COMPONENTS", which changes the values of components of an
// entity of the server's world.
func (c *commands) setComponents(args *script.Args, _ *script.Trace) {
	name, e := c.entityArg(args)
	components := c.componentArgs(args)
	for _, component := range components {
		if args.Err() == nil && !c.world().Has(e, component.ID) {
			args.Fail(script.NoSubject("%q has no component %T", name, component.Comp))
		}
	}
	for _, component := range components {
		if args.Err() == nil {
			c.world().Set(e, component.ID, component.Comp)
		}
	}
}
