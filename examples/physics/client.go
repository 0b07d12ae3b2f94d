package main

import (
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/visualinterp"
)

// reports is the number of rollbacks for which a client keeps the reasons.
const reports = 8

// clientGame is the client of the game: it runs the same physics, ahead of the server.
type clientGame struct {
	*plugin.Client
	seed   uint64
	still  bool      // no player pushes any more
	manual bool      // a player pushes; otherwise the bot does
	push   Push      // the player's push
	seen   viewState // the drawn state
}

// newClientGame returns a client with the game in it, steered by a bot with a random seed. The caller passes config,
// so that a test can use another clock.
func newClientGame(config plugin.ClientConfig, seed uint64) (*clientGame, error) {
	config.ExplainRollbacks = reports
	client, err := plugin.NewClient(config)
	if err != nil {
		return nil, err
	}
	game := &clientGame{Client: client, seed: seed}
	client.AddSystem(plugin.FixedInput, plugin.Func(game.writePush))
	client.AddSystem(plugin.FixedMain, slide())
	client.AddSystem(plugin.AfterSend, visualinterp.Add[Place](visualinterp.New()))
	client.AddSystem(plugin.AfterSend, plugin.Func(game.seen.recordDrawn))
	client.AddSystem(plugin.AfterSend, plugin.Func(game.seen.lookBack))
	return game, nil
}

// writePush writes the push of the client's disc in every tick. The server relays it to clients that predict the disc.
func (g *clientGame) writePush(w *ecs.World) func() {
	mine := generic.NewFilter2[Push, Place]().With(generic.T[components.Controlled]())
	bot := newBot(w, g.seed)
	return func() {
		query := mine.Query(w)
		for query.Next() {
			push, place := query.Get()
			switch {
			case g.still:
				*push = Push{}
			case g.manual:
				*push = g.push
			default:
				*push = bot.pushAt(*place)
			}
		}
	}
}
