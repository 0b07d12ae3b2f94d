package main

import (
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
)

const boxSize = 5 // length of a side

// giveBoxes returns a system that creates a box for every client that connects, for that client to
// predict. The box is removed when the client disconnects.
func giveBoxes(r *realm) plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		joined := plugin.NewReader[plugin.ClientConnected](w)
		left := plugin.NewReader[plugin.ClientDisconnected](w)
		spawn := generic.NewMap6[ID, Position, Box, Steer, components.ControlledBy, components.Replicate](w)
		return func() {
			for _, event := range joined.Read() {
				id, at, box := r.newID(), r.anywhere(), Box{Hue: r.hues}
				r.hues++
				r.boxes[event.Client] = spawn.NewWith(&id, &at, &box, &Steer{},
					&components.ControlledBy{Client: event.Client}, &components.Replicate{Predict: components.Owner, Interpolate: components.Everyone})
			}
			for _, event := range left.Read() {
				if box, ok := r.boxes[event.Client]; ok {
					delete(r.boxes, event.Client)
					w.RemoveEntity(box)
				}
			}
		}
	})
}
