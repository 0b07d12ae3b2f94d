package main

import (
	"fmt"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/plugin"
)

// counts counts the frames in which the client showed a snake, and those in which the snake was
// torn.
type counts struct {
	Frames, Torn int

	pace   pace
	head   Place // in the last frame
	rested int   // number of frames for which it has been there
}

// pace counts the steps of a head on the client, and those that came more than a frame late or early. The
// snake is even without them.
type pace struct {
	Steps int `json:"steps"`
	Late  int `json:"late"`
	Early int `json:"early"`
}

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
	if t.Frames > 0 {
		t.countStep(parts[0].Place)
	}
	t.Frames++
	t.head = parts[0].Place
	if !whole(parts) {
		t.Torn++
	}
}

// countStep counts a step of the head, if it has moved since the last frame. On the server it moves by a cell
// every few ticks.
func (t *counts) countStep(head Place) {
	t.rested++
	if head == t.head {
		return
	}
	t.pace.Steps++
	switch {
	case t.rested > stepEvery+1:
		t.pace.Late++
	case t.rested < stepEvery-1 || steps(t.head, head) > 1:
		t.pace.Early++
	}
	t.rested = 0
}

// String tells the pace as percentages.
func (p pace) String() string {
	part := func(n int) float64 { return 100 * float64(n) / float64(max(p.Steps, 1)) }
	return fmt.Sprintf("steps %.0f %% late, %.0f %% early", part(p.Late), part(p.Early))
}
