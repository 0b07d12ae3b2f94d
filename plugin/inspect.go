package plugin

import (
	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/endpoint"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
)

// Mirror returns the replicated state of the server, entity by entity in wire encodings. It is for
// tests and tools, such as package netsim, and costs as much as sending the whole world. The error
// says why the world cannot be read.
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

// Names returns the network ids of the replicated entities at a connected client, for tests and
// tools.
func (s *Server) Names(client entangle.ClientID) []inspect.Named { return s.engine.Names(client) }

// Matters reports whether an entity matters to a connected client now, by Relevance, rooms and
// grids, or because the client owns it. It is for tests and tools; see Relevance.Sees.
func (s *Server) Matters(client entangle.ClientID, e ecs.Entity, own bool) bool {
	return s.publisher.Matters(client, e, own)
}

// Tell sets a function that is called, from now on, for all state of the world written to clients,
// entity by entity; nil ends it. Call it once the server is initialised. It is for tests and tools,
// and costs as much as sending everything a second time.
func (s *Server) Tell(tell func(endpoint.Told)) {
	s.engine.Tell(registry.Of(s.protocol).Components, tell)
}

// Mirror returns the client's replicas of the server's world, entity by entity in wire encodings.
// It is for tests and tools, such as package netsim, and costs as much as receiving the whole
// world.
func (c *Client) Mirror() *inspect.Mirror {
	m := c.engine.Mirror(registry.Of(c.protocol).Components)
	m.ResourceInfos = registry.Of(c.protocol).Resources
	return m
}

// Predicted returns the predicted entities in their present state in the client's world, with the
// components that are predicted in full. It is for tests and tools, like Mirror.
func (c *Client) Predicted() *inspect.Mirror {
	return c.copy.Predicted(registry.Of(c.protocol).Components)
}

// Settled returns the confirmed tick: the newest one for which the client holds the confirmed state
// of everything that it predicts. It is not ok before there is one. It is for tests and tools.
func (c *Client) Settled() (tick entangle.Tick, ok bool) { return c.engine.Frontier() }

// InputAt returns the currently known input of an entity in one of the ticks still kept: on a
// client for its own entities, and for those of others whose inputs are rebroadcast. It is for
// tests and tools, and panics like NewInputs.
func InputAt[T any](w *ecs.World, e ecs.Entity, tick entangle.Tick) (input T, status InputStatus) {
	i := NewInputs[T](w)
	value, status := i.inputs.At(i.number, e, tick)
	if status != NoInput {
		input = columns.ValueOf[T](value)
	}
	return input, status
}

// Loads returns the size of the state that the server keeps for each connected client, for tests
// and tools.
func (s *Server) Loads() []endpoint.Load { return s.engine.Loads() }

// Load returns the size of the state that the client keeps for its connection, for tests and tools.
func (c *Client) Load() endpoint.Load { return c.engine.Load() }
