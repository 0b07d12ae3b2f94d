package components

import "github.com/entangle-ecs/entangle"

// ControlledBy names the client whose player an entity belongs to. The server
// sets it. Register it like a component of the game's own,
//
//	protocol.Component[components.ControlledBy](p)
//
// and a client finds its own entities by comparing with its id, as the server
// finds the entity that a client's messages are about.
type ControlledBy struct {
	// Client is the player's id; entangle.Nobody for none.
	Client entangle.ClientID
	// Keep leaves the entity in the server's world when the client's connection ends.
	// Others are despawned then.
	Keep bool
}
