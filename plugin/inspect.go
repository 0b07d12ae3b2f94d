package plugin

import (
	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/endpoint"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
)

// Mirror returns what the server replicates, entity by entity in wire encodings.
// It is for tests and tools, such as package netsim, and costs as much as sending
// the whole world. The error says why the world can't be looked at.
func (s *Server) Mirror() (*inspect.Mirror, error) {
	if s.publisher == nil {
		return &inspect.Mirror{}, nil
	}
	m, err := s.publisher.Mirror(registry.Of(s.protocol).Components)
	if err == nil {
		m.ResourceInfos, m.Resources = registry.Of(s.protocol).Resources, s.resources.Mirror()
	}
	return m, err
}

// Names returns the ids by which a connected client knows what the server replicates,
// for tests and tools.
func (s *Server) Names(client entangle.ClientID) []inspect.Named { return s.engine.Names(client) }

// Matters reports whether an entity matters to a connected client as of now, by what the
// game said, rooms and grids, or because it is its own. It is for tests and tools; see
// Relevance.Sees.
func (s *Server) Matters(client entangle.ClientID, e ecs.Entity, own bool) bool {
	return s.publisher.Matters(client, e, own)
}

// Tell has a function told of all that is written to clients of the world from now on,
// entity by entity; nil ends it. Call it once the server is initialised. It is for tests
// and tools, and costs as much as sending everything once more.
func (s *Server) Tell(tell func(endpoint.Told)) {
	s.engine.Tell(registry.Of(s.protocol).Components, tell)
}

// Mirror returns what the client holds of the server's world, entity by entity in
// wire encodings. It is for tests and tools, such as package netsim, and costs as
// much as receiving the whole world.
func (c *Client) Mirror() *inspect.Mirror {
	m := c.engine.Mirror(registry.Of(c.protocol).Components)
	m.ResourceInfos = registry.Of(c.protocol).Resources
	return m
}

// Predicted returns the entities that the client predicts, as its world has them now, with
// the components that are predicted in full. It is for tests and tools, as Mirror is.
func (c *Client) Predicted() *inspect.Mirror {
	return c.copy.Predicted(registry.Of(c.protocol).Components)
}

// Settled returns the newest tick of which the client holds all that it predicts as the
// server had it. It is not ok before there is one. It is for tests and tools.
func (c *Client) Settled() (tick entangle.Tick, ok bool) { return c.engine.Frontier() }

// InputAt returns what is known now of an entity's input of a tick, of the ticks that are
// kept: on a client of its own entities, and of those of others whose inputs are
// rebroadcast. It is for tests and tools, and panics where NewInputs does.
func InputAt[T any](w *ecs.World, e ecs.Entity, tick entangle.Tick) (input T, status InputStatus) {
	i := NewInputs[T](w)
	value, status := i.inputs.At(i.number, e, tick)
	if status != NoInput {
		input = columns.ValueOf[T](value)
	}
	return input, status
}

// Loads returns what the server keeps for each connected client, for tests and
// tools.
func (s *Server) Loads() []endpoint.Load { return s.engine.Loads() }

// Load returns what the client keeps for its connection, for tests and tools.
func (c *Client) Load() endpoint.Load { return c.engine.Load() }
