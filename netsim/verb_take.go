package netsim

import "github.com/mlange-42/arche/ecs"

// take RESOURCE removes a resource from the server's world.
func (c *cast) take(args *Args, _ *Trace) error {
	t, err := c.takeResource(args)
	if err != nil {
		return err
	}
	resources, id := c.world().Resources(), ecs.ResourceTypeID(c.world(), t.t)
	if !resources.Has(id) {
		return noSubject("there is no resource %v", t.t)
	}
	resources.Remove(id)
	return nil
}
