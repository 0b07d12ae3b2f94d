package scene

import (
	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/netsim/internal/script"
)

// connectClients implements "connect COUNT", which makes clients that start connecting.
func (c *commands) connectClients(args *script.Args, _ *script.Trace) {
	for n := args.Int(); n > 0 && args.Err() == nil; n-- {
		_, err := c.scene.Connect()
		args.Fail(err)
	}
}

// disconnectClients implements "disconnect [CLIENTS]", which ends the connections of clients from
// their side.
func (c *commands) disconnectClients(args *script.Args, _ *script.Trace) {
	for _, client := range c.clientArgs(args) {
		args.Fail(c.scene.Disconnect(client))
	}
}

// persistReplicas implements "persist NAME [CLIENTS]", which marks clients' replicas of an entity
// of the server's world as components.Persistent: they stay when the connection ends.
func (c *commands) persistReplicas(args *script.Args, _ *script.Trace) {
	name, e := c.entityArg(args)
	for _, client := range c.clientArgs(args) {
		w := c.scene.World(client)
		local, ok := c.scene.Local(client, e)
		if !ok {
			args.Fail(script.NoSubject("client %d has no copy of %q", client, name))
			return
		}
		if id := ecs.ComponentID[components.Persistent](w); !w.Has(local, id) {
			w.Add(local, id)
		}
	}
}
