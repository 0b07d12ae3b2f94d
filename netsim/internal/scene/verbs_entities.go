package scene

import (
	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/netsim/internal/script"
)

// spawnEntity implements "spawn NAME COMPONENTS", which creates an entity in the server's world.
// Components are written as Health, with values as Position=1,2, or with some fields by name as
// Position=Y:2. The name of a despawned entity may be used again.
func (c *commands) spawnEntity(args *script.Args, _ *script.Trace) error {
	name, err := args.Word()
	if err != nil {
		return err
	}
	if e, taken := c.entities[name]; taken && c.world().Alive(e) {
		return script.NoSubject("%q lives already", name)
	}
	components, err := c.componentArgs(args)
	if err != nil {
		return err
	}
	c.entities[name] = c.world().NewEntityWith(components...)
	return nil
}

// despawnEntity implements "despawn NAME", which removes an entity from the server's world.
func (c *commands) despawnEntity(args *script.Args, _ *script.Trace) error {
	_, e, err := c.entityArg(args)
	if err != nil {
		return err
	}
	c.world().RemoveEntity(e)
	return nil
}

// insertComponents implements "insert NAME COMPONENTS", which adds components to an entity of the
// server's world, which must not have them.
func (c *commands) insertComponents(args *script.Args, _ *script.Trace) error {
	name, e, err := c.entityArg(args)
	if err != nil {
		return err
	}
	components, err := c.componentArgs(args)
	if err != nil {
		return err
	}
	for _, component := range components {
		if c.world().Has(e, component.ID) {
			return script.NoSubject("%q has the component %T already", name, component.Comp)
		}
	}
	c.world().Assign(e, components...)
	return nil
}

// removeComponents implements "remove NAME COMPONENTS", which removes components from an entity of
// the server's world.
func (c *commands) removeComponents(args *script.Args, _ *script.Trace) error {
	name, e, err := c.entityArg(args)
	if err != nil {
		return err
	}
	if args.Len() == 0 {
		return script.ErrMissing
	}
	var ids []ecs.ID
	for _, word := range args.Rest() {
		t, err := c.componentType(word)
		if err != nil {
			return err
		}
		id := ecs.TypeID(c.world(), t)
		if !c.world().Has(e, id) {
			return script.NoSubject("%q has no %s", name, word)
		}
		ids = append(ids, id)
	}
	c.world().Remove(e, ids...)
	return nil
}

// setComponents implements "set NAME COMPONENTS", which changes the values of components of an
// entity of the server's world.
func (c *commands) setComponents(args *script.Args, _ *script.Trace) error {
	name, e, err := c.entityArg(args)
	if err != nil {
		return err
	}
	components, err := c.componentArgs(args)
	if err != nil {
		return err
	}
	for _, component := range components {
		if !c.world().Has(e, component.ID) {
			return script.NoSubject("%q has no component %T", name, component.Comp)
		}
	}
	for _, component := range components {
		c.world().Set(e, component.ID, component.Comp)
	}
	return nil
}
