package components

import "github.com/entangle-ecs/entangle"

// ControlledBy names the client that controls an entity. The server sets it. Register it like a
// component of the game,
//
//	protocol.Component[components.ControlledBy](p)
//
// and a client finds its own entities by comparing with its id, as the server finds the entity of a
// client's messages.
type ControlledBy struct {
	// Client is the id of the client, or entangle.Nobody.
	Client entangle.ClientID
	// Keep leaves the entity in the server's world when the client's connection ends. Without Keep
	// it is despawned then.
	Keep bool
}
