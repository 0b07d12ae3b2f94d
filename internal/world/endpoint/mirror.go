package endpoint

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
)

// Names returns the network ids and handles under which a connected client knows the replicated
// entities.
func (s *Server) Names(client entangle.ClientID) (names []inspect.Named) {
	for _, c := range s.open {
		if c.id == client && s.collector != nil {
			return s.collector.Names(c.peer.Replication())
		}
	}
	return nil
}

// Mirror returns the debug view of the connection's replicas, including their groups. It is empty
// without a connection.
func (c *Client) Mirror(infos []*registry.Component) *inspect.Mirror {
	if c.applier == nil {
		return &inspect.Mirror{Components: infos}
	}
	m := c.applier.Mirror(infos)
	if c.resources != nil {
		m.Resources = c.resources.Mirror()
	}
	if c.receiver == nil {
		return m
	}
	for _, h := range c.receiver.Groups(nil) {
		tick, _ := c.receiver.Held(h)
		g := inspect.MirroredGroup{Handle: uint32(h), Tick: tick}
		for _, s := range c.receiver.Members(h, nil) {
			g.Members = append(g.Members, inspect.MirrorID(c.applier.Replicas.Info[s].ID))
		}
		m.Groups = append(m.Groups, g)
	}
	return m
}
