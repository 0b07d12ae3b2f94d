package systems

import (
	"github.com/entangle-ecs/entangle/internal/world/endpoint"
	"github.com/entangle-ecs/entangle/internal/world/message"
	"github.com/entangle-ecs/entangle/internal/world/source"
)

// Server is what the stages of a server call. A host is a server with a player of its own:
// Engine delivers to that player what clients are sent, and no stage knows the difference
// (docs/STATES.md, "The player of a host"; row C12).
type Server struct {
	Frame
	Engine     *endpoint.Server        // its clients, and the player of a host
	Collector  *source.Collector       // finds the changes of the world
	Resources  *message.Resources      // finds the changes of resources
	Owned      *endpoint.OwnedEntities // entities that clients control
	Blueprints *source.Blueprints      // nil: none is registered
	Prespawns  *source.Prespawns       // finds the prespawned entities of a tick
	SIDs       *source.SIDs            // nil: components.SID is not registered
	Rewind     *source.Rewind          // nil: no component has the option Rewind

	// OnBroken is called with the error of a socket that broke. The server stops.
	OnBroken func(err error)
}

// Bind makes the schedule run a server's work in each stage.
func (s *Server) Bind() {
	s.bind(&work{
		Restore: s.restore,
		Receive: s.receiveFromClients,

		// Once per tick.
		TickUpdate:        s.beginTick,
		FixedInput:        s.fixedInput,
		WriteInputs:       s.writeInputs,
		Assemble:          s.assemble,
		ClearInputs:       s.clearInputs,
		SetPrespawnedHash: s.hashPrespawned,
		Round:             s.roundValues,
		SpawnHistory:      s.followSpawns,
		UpdateHistory:     s.recordTick,

		EntityUpdates:    s.observeEntities,
		ComponentUpdates: s.observeValues,
		Packets:          s.sendToClients,
		Visual:           s.showValues,
	})
}
