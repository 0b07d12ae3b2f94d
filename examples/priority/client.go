package main

import (
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/entangle-ecs/entangle/plugin"
)

// clientGame is the game as a client plays it. It simulates nothing: it counts, row by
// row, what arrives.
type clientGame struct {
	*plugin.Client
	tally tally
}

// newClientGame returns a client with the game in it. Config is the caller's, so
// that a test can give it another clock.
func newClientGame(config plugin.ClientConfig) (*clientGame, error) {
	client, err := plugin.NewClient(config)
	if err != nil {
		return nil, err
	}
	game := &clientGame{Client: client}
	client.AddSystem(plugin.AfterSend, plugin.Func(game.count))
	return game, nil
}

// count counts the updates of each frame, from the first on in which all dots are here:
// until then structure has a part of the cap. Time is the server's, as far as it was heard of:
// a client's own clock runs fast and slow to stay ahead of it.
func (g *clientGame) count(w *ecs.World) func() {
	updated := plugin.NewReader[plugin.ComponentUpdated[Turn]](w)
	dots, rules := generic.NewMap[Dot](w), generic.NewResource[Rules](w)
	return func() {
		events, now := updated.Read(), g.Link().Tick
		if !g.Joined() || !rules.Has() {
			return
		}
		if !g.tally.begun {
			g.tally.begin(*rules.Get(), now, g.Stats().BytesIn)
			return
		}
		for _, event := range events {
			if w.Alive(event.Entity) {
				g.tally.note(*dots.Get(event.Entity), now)
			}
		}
		g.tally.look(now, g.Stats().BytesIn)
	}
}
