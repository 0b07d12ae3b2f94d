package plugin

import (
	"fmt"

	"github.com/mlange-42/arche/ecs"
)

// Teleport marks what the game writes to an entity in this tick as a teleport: no client shows it on a way from
// the values before, however short that way is. It is for a system in a fixed set on the server, before or after
// the write, and lets clients that interpolate the entity (Replicate.Interpolate) know. In all other cases it does
// nothing: on a client, for an entity that nobody interpolates, that is paused, or that appears in this tick.
// Children of the entity are marked by calls of their own.
//
// For an entity that is computed on this machine, visualinterp shows a way of one tick, unless Snap is registered
// for the component. Teleport panics if the entity is not alive, and in a world without an app.
func Teleport(w *ecs.World, e ecs.Entity) {
	app := mustHaveApp(w, "Teleport")
	if !w.Alive(e) {
		panic(fmt.Sprintf("plugin: Teleport of %v, which is not alive; ask World.Alive of entities that are kept", e))
	}
	if app.Collector != nil {
		app.Collector.Teleport(e)
	}
}
