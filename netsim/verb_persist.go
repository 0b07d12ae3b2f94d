package netsim

import (
	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/components"
)

// persist NAME [CLIENTS] marks clients' replicas of an entity of the server's world as
// components.Persistent: they stay when the connection ends.
func (c *cast) persist(args *Args, _ *Trace) error {
	name, e, err := c.entity(args)
	if err != nil {
		return err
	}
	clients, err := c.clients(args)
	if err != nil {
		return err
	}
	for _, client := range clients {
		w := c.scene.World(client)
		local, ok := c.scene.Local(client, e)
		if !ok {
			return noSubject("client %d has no copy of %q", client, name)
		}
		if id := ecs.ComponentID[components.Persistent](w); !w.Has(local, id) {
			w.Add(local, id)
		}
	}
	return nil
}
