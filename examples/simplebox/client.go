package main

import (
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/visualinterp"
)

// reasons is how many rollbacks a client remembers the reasons of.
const reasons = 4

// helm is who steers the box of a client.
type helm struct {
	manual  bool // a player; else the bot
	heading Steer
}

// clientGame is the game as a client plays it: it shows what the server sends, and
// steers its box, which it predicts. Beside that it keeps a twin, where the server has
// confirmed the box last.
type clientGame struct {
	*plugin.Client
	helm *helm
}

// newClientGame returns a client with the game in it. Config is the caller's, so
// that a test can give it another clock.
func newClientGame(config plugin.ClientConfig) (*clientGame, error) {
	config.ConfirmedTwins, config.ExplainRollbacks = true, reasons
	client, err := plugin.NewClient(config)
	if err != nil {
		return nil, err
	}
	game := &clientGame{Client: client, helm: &helm{}}
	client.AddSystem(plugin.BufferInputs, steerBox(game))
	client.AddSystem(plugin.FixedMain, driveBoxes())
	client.AddSystem(plugin.AfterSend, visualinterp.Add[Position](visualinterp.New()))
	return game, nil
}

// steerBox writes in every tick where the client's box should go. The plugin does the
// rest: it sends the input ahead of its tick, again until it cannot be lost, and the
// server's box has it in the tick that it was written for.
func steerBox(game *clientGame) plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		mine := generic.NewFilter1[Steer]().With(generic.T[components.Controlled]())
		bot := newBot(w)
		return func() {
			steer := game.helm.heading
			if !game.helm.manual {
				steer = bot.steer()
			}
			query := mine.Query(w)
			for query.Next() {
				*query.Get() = steer
			}
		}
	})
}
