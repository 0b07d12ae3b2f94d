package main

import (
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/entangle-ecs/entangle/plugin"
)

// clientGame is the client of the game. It simulates nothing, and counts the updates that arrive,
// by row.
type clientGame struct {
	*plugin.Client
	counts counts
}

// newClientGame returns a client with the game in it. The caller passes config, so that a test can
// use another clock.
func newClientGame(config plugin.ClientConfig) (*clientGame, error) {
	client, err := plugin.NewClient(config)
	if err != nil {
		return nil, err
	}
	game := &clientGame{Client: client}
	client.AddSystem(plugin.AfterSend, plugin.Func(game.count))
	return game, nil
}

// count counts the updates of each frame. It begins with the first frame that has all dots, because
// until then spawns take a part of the cap. It measures time in received ticks of the server,
// because the speed of the client's own clock varies.
func (g *clientGame) count(w *ecs.World) func() {
	updated := plugin.NewReader[plugin.ComponentUpdated[Turn]](w)
	dots, rules := generic.NewMap[Dot](w), generic.NewResource[Rules](w)
	return func() {
		events, now := updated.Read(), g.Stats().Link.Tick
		if !g.Joined() || !rules.Has() {
			return
		}
		if !g.counts.begun {
			g.counts.restart(*rules.Get(), now, g.Stats().BytesIn)
			return
		}
		for _, event := range events {
			if w.Alive(event.Entity) {
				g.counts.countUpdate(*dots.Get(event.Entity), now)
			}
		}
		g.counts.updateAges(now, g.Stats().BytesIn)
	}
}
