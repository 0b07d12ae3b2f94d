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
// because the speed of the client's own clock varies. Turn is what the client shows, a little in the past;
// plugin.Confirmed tells what has arrived.
func (g *clientGame) count(w *ecs.World) func() {
	arrived, dots := plugin.NewConfirmed[Turn](w), generic.NewFilter2[Dot, Turn]()
	rules := generic.NewResource[Rules](w)
	return func() {
		now := g.Stats().Link.Tick
		if !g.Joined() || !rules.Has() {
			return
		}
		if !g.counts.begun {
			g.counts.restart(*rules.Get(), now, g.Stats().BytesIn)
		}
		for query := dots.Query(w); query.Next(); {
			dot, turn := query.Get()
			if _, tick, ok := arrived.Get(query.Entity()); ok {
				g.counts.countDot(*dot, *turn, tick, now)
			}
		}
		g.counts.updateAges(now, g.Stats().BytesIn)
	}
}
