package main

import (
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
)

const (
	shooter = entangle.ClientID(1) // client A

	reload  = 40 // ticks from one shot to the next
	strange = 5  // each so many shots is of a gun that does not exist
)

// newServer returns a server with the ship in it.
func newServer(config plugin.ServerConfig, d *diary) (*plugin.Server, error) {
	server, err := plugin.NewServer(config)
	if err != nil {
		return nil, err
	}
	server.AddSystem(plugin.AfterReceive, plugin.Func(func(w *ecs.World) func() {
		joined := plugin.NewReader[plugin.ClientJoined](w)
		ships := generic.NewMap4[Ship, Trigger, components.ControlledBy, components.Replicate](w)
		return func() {
			for _, event := range joined.Read() {
				if event.Client == shooter {
					ships.NewWith(&Ship{}, &Trigger{}, &components.ControlledBy{Client: shooter}, &components.Replicate{Predict: components.Everyone})
				}
			}
		}
	}))
	addSimulation(server, d)
	return server, nil
}

// newClient returns a client, which predicts the ship and its shots.
func newClient(config plugin.ClientConfig, id entangle.ClientID, delay int, d *diary) (*plugin.Client, error) {
	if id == shooter {
		config.InputDelay.Min = delay
	}
	client, err := plugin.NewClient(config)
	if err != nil {
		return nil, err
	}
	client.AddSystem(plugin.FixedInput, plugin.Func(pull))
	client.AddSystem(plugin.AfterReceive, plugin.Func(d.watch))
	addSimulation(client, d)
	return client, nil
}

func addSimulation(app plugin.App, d *diary) {
	app.AddSystem(plugin.FixedMain, plugin.Func(fly))
	app.AddSystem(plugin.FixedMain, plugin.Func(d.write))
}

// pull is the bot that pulls the trigger of this client's ship, if it has one. The first second is for the
// clock.
func pull(w *ecs.World) func() {
	mine := generic.NewFilter1[Trigger]().With(generic.T[components.Controlled]())
	now := ecs.GetResource[components.Time](w)
	shots, ticks := 0, 0
	return func() {
		for q := mine.Query(w); q.Next(); {
			*q.Get() = Trigger{}
			if ticks++; ticks < 2*tickRate || now.Tick%reload != 0 {
				continue
			}
			if shots++; shots%strange == 0 {
				q.Get().Gun = guns + 1
			} else {
				q.Get().Gun = uint8(shots%guns + 1)
			}
		}
	}
}
