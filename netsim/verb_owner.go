package netsim

import (
	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
)

// owner NAME CLIENT [keep] names the client that an entity of the server's world is
// controlled by, 0 for none. Unless it is kept it goes with that client's connection.
func (c *cast) owner(args *Args, _ *Trace) error {
	_, e, err := c.entity(args)
	if err != nil {
		return err
	}
	client, err := args.Int()
	if err != nil {
		return err
	}
	by := components.ControlledBy{Client: entangle.ClientID(client), Keep: args.Take("keep")}
	if id := ecs.ComponentID[components.ControlledBy](c.world()); c.world().Has(e, id) {
		c.world().Set(e, id, &by)
	} else {
		c.world().Assign(e, ecs.Component{ID: id, Comp: &by})
	}
	return nil
}
