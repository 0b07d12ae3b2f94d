// Package smooth counts how smoothly things move on the screen of a client, and turns interpolation on
// and off for comparison.
package smooth

import (
	"fmt"
	"math"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
)

// Flag is the usage of the flag -interpolate.
const Flag = "show things a little in the past, where they move smoothly; false: as they arrive"

// Switch returns a system of the server that makes all clients interpolate every entity while on is true,
// and none while it is false.
func Switch(on *bool) plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		replicated := generic.NewFilter1[components.Replicate]()
		return func() {
			target := components.Nobody
			if *on {
				target = components.Everyone
			}
			for query := replicated.Query(w); query.Next(); {
				query.Get().Interpolate = target
			}
		}
	})
}

// Counts counts the frames of things that always move on the server: a thing in a frame counts as one.
type Counts struct {
	Frames int `json:"frames"`
	Stood  int `json:"stood"`  // it moved by less than a quarter of its way on the server
	Jumped int `json:"jumped"` // by more than twice its way, or backwards
}

// Add counts a frame in which a thing moved by a distance. usual is how far it moves on the server in that
// time.
func (c *Counts) Add(moved, usual float64) {
	c.Frames++
	switch {
	case math.Abs(moved) < usual/4:
		c.Stood++
	case moved > 2*usual || moved < 0:
		c.Jumped++
	}
}

// String tells the counts as percentages.
func (c Counts) String() string {
	part := func(n int) float64 { return 100 * float64(n) / float64(max(c.Frames, 1)) }
	return fmt.Sprintf("%.1f %% still, %.1f %% jump", part(c.Stood), part(c.Jumped))
}
