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

// helm selects the steering of a client's box.
type helm struct {
	manual  bool // a player; else the bot
	heading Steer
}

// clientGame is the client of the game: it shows the replicated entities, and steers its box, which it predicts. It
// also has a confirmed twin of the box.
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
	client.AddSystem(plugin.FixedInput, steerBox(game))
	client.AddSystem(plugin.FixedMain, driveBoxes())
	client.AddSystem(plugin.AfterSend, visualinterp.Add[Position](visualinterp.New()))
	return game, nil
}

// steerBox writes the direction of the client's box in every tick. The plugin does the rest: it sends the input ahead
// of its tick and repeats it, and the server's box has it in the tick for which it was written.
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
