package main

import (
	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/plugin"
)

// tally counts the frames in which the client had a snake to show.
type tally struct{ Frames, Torn int }

// newClient returns a client that looks at its snakes in every frame. It simulates
// nothing: what it shows is what has arrived.
func newClient(config plugin.ClientConfig, tallies *[snakeCount]tally) (*plugin.Client, error) {
	client, err := plugin.NewClient(config)
	if err != nil {
		return nil, err
	}
	client.AddSystem(plugin.AfterSend, plugin.Func(func(w *ecs.World) func() {
		sight := newSight(w)
		return func() {
			for number := range tallies {
				tallies[number].note(sight.snake(uint8(number)))
			}
		}
	}))
	return client, nil
}

func (t *tally) note(parts []part) {
	if len(parts) == 0 {
		return // it has not arrived yet
	}
	t.Frames++
	if !whole(parts) {
		t.Torn++
	}
}
