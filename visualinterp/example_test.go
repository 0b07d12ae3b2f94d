package visualinterp_test

import (
	"fmt"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/visualinterp"
)

// Position is a component that is moved and drawn.
type Position struct{ X, Y float32 }

// Shake exists on the screen only: it is not in a protocol.
type Shake struct{ Angle float64 }

// This example is a server with a display: ten ticks a second, and three frames in two ticks.
func Example() {
	p := protocol.New(protocol.Config{Name: "smooth", TickRate: 10})
	protocol.Component[Position](p).
		Predict(protocol.Full).
		Interpolate(protocol.Linear[Position]).
		Correct(150 * time.Millisecond)

	now := time.Unix(0, 0)
	app, err := plugin.NewServer(plugin.ServerConfig{Protocol: p})
	if err != nil {
		fmt.Println(err)
		return
	}
	app.AddSystem(plugin.FixedMain, plugin.Func(movement))

	shows := visualinterp.New()
	visualinterp.Add[Position](shows, visualinterp.HideUntilTwo())
	visualinterp.Add[Shake](shows, visualinterp.With(protocol.Linear[Shake]), visualinterp.Tagged())
	app.AddSystem(plugin.AfterSend, shows)
	app.AddSystem(plugin.AfterSend, plugin.Func(drawing))

	world := ecs.NewWorld()
	app.Initialize(&world)
	defer app.Finalize(&world)
	positions := generic.NewMap1[Position](&world)
	positions.New()
	for frame := range 7 {
		app.Step(now.Add(time.Duration(frame) * 200 * time.Millisecond / 3))
	}
	// Output:
	// tick 2, 0.00 past it: x is 3.00
	// tick 2, 0.67 past it: x is 5.00
	// tick 3, 0.33 past it: x is 7.00
	// tick 4, 0.00 past it: x is 9.00
}

// movement is the simulation. It uses ticks only.
func movement(w *ecs.World) func() {
	filter := generic.NewFilter1[Position]().Without(generic.T[components.Remote]())
	return func() {
		for query := filter.Query(w); query.Next(); {
			query.Get().X += 3
		}
	}
}

// drawing reads the same component, which holds the value to draw.
func drawing(w *ecs.World) func() {
	filter := generic.NewFilter1[Position]().Without(generic.T[visualinterp.Hidden]())
	clock := ecs.GetResource[components.Time](w)
	return func() {
		for query := filter.Query(w); query.Next(); {
			fmt.Printf("tick %d, %.2f past it: x is %.2f\n", clock.Tick, clock.Overstep, query.Get().X)
		}
	}
}
