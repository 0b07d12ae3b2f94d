package components

import "github.com/entangle-ecs/entangle"

// At is embedded in a blueprint (protocol.Blueprint), and says in which tick the rest of the entity is
// assembled, before FixedMain of that tick.
type At struct {
	// Tick may be in the future: until then the entity has the blueprint alone. 0, or a tick that a
	// server has run already, means the next tick, which the plugin then writes into the field. On a
	// client, a tick that has run means a rollback to before it. It must be less than 2^31 ticks away.
	Tick entangle.Tick
}
