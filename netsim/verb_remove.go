package netsim

import "github.com/mlange-42/arche/ecs"

// remove NAME COMPONENTS removes components from an entity of the server's world.
func (c *cast) remove(args *Args, _ *Trace) error {
	name, e, err := c.entity(args)
	if err != nil {
		return err
	}
	if args.Len() == 0 {
		return errMissing
	}
	var ids []ecs.ID
	for _, word := range args.Rest() {
		t, err := c.componentType(word)
		if err != nil {
			return err
		}
		id := ecs.TypeID(c.world(), t)
		if !c.world().Has(e, id) {
			return noSubject("%q has no %s", name, word)
		}
		ids = append(ids, id)
	}
	c.world().Remove(e, ids...)
	return nil
}
