package scene

import (
	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/netsim/internal/script"
)

// connectClients implements "connect COUNT", which makes clients that start connecting.
func (c *commands) connectClients(args *script.Args, _ *script.Trace) error {
	count, err := args.Int()
	if err != nil {
		return err
	}
	for range count {
		if _, err := c.scene.Connect(); err != nil {
			return err
		}
	}
	return nil
}

// disconnectClients implements "disconnect [CLIENTS]", which ends the connections of clients from
// their side.
func (c *commands) disconnectClients(args *script.Args, _ *script.Trace) error {
	clients, err := c.clientArgs(args)
	if err != nil {
		return err
	}
	for _, client := range clients {
		if err := c.scene.Disconnect(client); err != nil {
			return err
		}
	}
	return nil
}

// persistReplicas implements "persist NAME [CLIENTS]", which marks clients' replicas of an entity
// of the server's world as components.Persistent: they stay when the connection ends.
func (c *commands) persistReplicas(args *script.Args, _ *script.Trace) error {
	name, e, err := c.entityArg(args)
	if err != nil {
		return err
	}
	clients, err := c.clientArgs(args)
	if err != nil {
		return err
	}
	for _, client := range clients {
		w := c.scene.World(client)
		local, ok := c.scene.Local(client, e)
		if !ok {
			return script.NoSubject("client %d has no copy of %q", client, name)
		}
		if id := ecs.ComponentID[components.Persistent](w); !w.Has(local, id) {
			w.Add(local, id)
		}
	}
	return nil
}
