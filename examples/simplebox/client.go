package main

import (
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/visualinterp"
)

// reasons is the number of rollbacks for which a client keeps the reasons.
const reasons = 4

// helm selects what steers a client's box.
type helm struct {
	manual  bool // a player steers; otherwise the bot does
	heading Steer
}

// clientGame is the client of the game: it shows the replicated entities, and steers its box, which it predicts. It
// also has a confirmed twin of the box.
type clientGame struct {
	*plugin.Client
	helm *helm
}

// newClientGame returns a client with the game in it. The caller passes config, so that a test can
// use another clock.
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

// steerBox writes the direction of the client's box in every tick. The plugin does the rest: it
// sends the input ahead of its tick and repeats it, so that the server's box has it in the tick for
// which it was written.
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
