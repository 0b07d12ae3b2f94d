package main

import (
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
)

const (
	boxSpeed = 20 // per second
	boxSize  = 5  // the side
)

// Drive is where a box goes. Only the server needs it: it is not registered, and
// never sent.
type Drive struct{ DX, DY float32 }

// giveBoxes gives a box to every client that comes, and removes it when the client
// goes.
func giveBoxes(r *realm) plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		joined := plugin.NewReader[plugin.ClientConnected](w)
		left := plugin.NewReader[plugin.ClientDisconnected](w)
		spawn := generic.NewMap6[ID, Position, Box, Drive, components.ControlledBy, components.Replicate](w)
		return func() {
			for _, event := range joined.Read() {
				id, at, box := r.newID(), r.anywhere(), Box{Hue: r.hues}
				r.hues++
				r.boxes[event.Client] = spawn.NewWith(&id, &at, &box, &Drive{},
					&components.ControlledBy{Client: event.Client}, &components.Replicate{})
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

// takeSteering reads what the clients want of their boxes. The message's type
// bounds the values: a client can't ask for more than full speed.
func takeSteering(r *realm) plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		steering := plugin.NewReader[plugin.MessageReceived[Steer]](w)
		drives := generic.NewMap[Drive](w)
		return func() {
			for _, event := range steering.Read() {
				if box, ok := r.boxes[event.From]; ok {
					*drives.Get(box) = Drive{DX: float32(event.Message.DX), DY: float32(event.Message.DY)}
				}
			}
		}
	})
}

// driveBoxes moves the boxes as they were steered.
func driveBoxes(*realm) plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		filter := generic.NewFilter2[Position, Drive]()
		step := secondsPerTick(w)
		return func() {
			query := filter.Query(w)
			for query.Next() {
				at, drive := query.Get()
				at.X = inField(at.X + drive.DX*boxSpeed*step)
				at.Y = inField(at.Y + drive.DY*boxSpeed*step)
			}
		}
	})
}

// secondsPerTick returns how long a step of the simulation is.
func secondsPerTick(w *ecs.World) float32 {
	return float32(ecs.GetResource[components.Time](w).Step.Seconds())
}

func inField(v float32) float32 { return min(max(v, 0), fieldSize) }
