package main

import (
	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/plugin"
)

// counts counts the frames in which the client showed a snake, and those in which the snake was
// torn.
type counts struct{ Frames, Torn int }

// newClient returns a client that checks its snakes in every frame. It simulates nothing: it shows the received state.
func newClient(config plugin.ClientConfig, tallies *[snakeCount]counts) (*plugin.Client, error) {
	client, err := plugin.NewClient(config)
	if err != nil {
		return nil, err
	}
	client.AddSystem(plugin.AfterSend, plugin.Func(func(w *ecs.World) func() {
		watcher := newWatcher(w)
		return func() {
			for number := range tallies {
				tallies[number].countFrame(watcher.snake(uint8(number)))
			}
		}
	}))
	return client, nil
}

func (t *counts) countFrame(parts []part) {
	if len(parts) == 0 {
		return // the snake has not arrived yet
	}
	t.Frames++
	if !whole(parts) {
		t.Torn++
	}
}
