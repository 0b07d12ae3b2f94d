package main

import (
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
)

const boxSpeed = 20 // distance per second

// driveBoxes returns a system that moves the boxes in the direction in which they are steered in
// this tick. Server and clients run the same system. It excludes entities that the network writes,
// which are marked Remote: on a client these are all entities except its own box, which it
// predicts. After a misprediction, the client rolls back and runs this system again for every later
// tick.
func driveBoxes() plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		filter := generic.NewFilter2[Position, Steer]().Without(generic.T[components.Remote]())
		step, pause := secondsPerTick(w), generic.NewResource[Pause](w)
		return func() {
			if pause.Has() && pause.Get().On {
				return
			}
			query := filter.Query(w)
			for query.Next() {
				at, steer := query.Get()
				at.X = inField(at.X + float32(steer.DX)*boxSpeed*step)
				at.Y = inField(at.Y + float32(steer.DY)*boxSpeed*step)
			}
		}
	})
}

// secondsPerTick returns the length of a tick in seconds.
func secondsPerTick(w *ecs.World) float32 {
	return float32(ecs.GetResource[components.Time](w).Step.Seconds())
}

func inField(v float32) float32 { return min(max(v, 0), fieldSize) }
