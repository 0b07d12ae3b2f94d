package netsim

import (
	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
)

// owner NAME CLIENT [keep] sets the client that controls an entity of the server's world, 0 for
// none. Without keep, the entity is despawned when that client disconnects.
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
