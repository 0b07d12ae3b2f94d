package main

import (
	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
)

// helm is who steers the box of a client.
type helm struct {
	manual  bool // a player; else the bot
	heading Steer
}

// clientGame is the game as a client plays it. It simulates nothing: it shows what
// the server sends, and tells it where its box should go.
type clientGame struct {
	*plugin.Client
	helm *helm
}

// newClientGame returns a client with the game in it. Config is the caller's, so
// that a test can give it another clock.
func newClientGame(config plugin.ClientConfig) (*clientGame, error) {
	client, err := plugin.NewClient(config)
	if err != nil {
		return nil, err
	}
	game := &clientGame{Client: client, helm: &helm{}}
	client.AddSystem(plugin.BufferInputs, steerBox(game))
	return game, nil
}

// steerBox sends in every tick where the box should go. The message is sequenced
// and unreliable: one that is lost is made up for by the next, one that comes late
// is not wanted any more.
func steerBox(game *clientGame) plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		sender := plugin.NewSender[Steer](w)
		bot := newBot(w, game.Client)
		return func() {
			if game.State() != plugin.Connected {
				return
			}
			steer := game.helm.heading
			if !game.helm.manual {
				steer = bot.steer()
			}
			if err := sender.Send(components.Server, steer); err != nil {
				panic(err) // Steer holds nothing that can be too long
			}
		}
	})
}
