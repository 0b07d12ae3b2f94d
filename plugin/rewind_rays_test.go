package plugin_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle/plugin"
)

// A line meets nothing behind its beginning, nothing beyond its end and nothing beside it, whichever way it goes. It
// meets what it begins in at once.
//
// Proves: L3
func TestALineMeetsOnlyWhatIsBetweenItsEnds(t *testing.T) {
	for name, c := range map[string]struct {
		center float64 // of a ball and a box, along the line from 0 to 10
		side   float64
		want   float64
		ok     bool
	}{
		"behind":          {center: -2},
		"far behind":      {center: -100},
		"beyond":          {center: 12},
		"beside":          {center: 5, side: 1.5},
		"beside, below":   {center: 5, side: -1.5},
		"at the end":      {center: 10.5, want: 0.95, ok: true},
		"in the middle":   {center: 5, want: 0.4, ok: true},
		"around the gun":  {center: 0.5, want: 0, ok: true},
		"around the back": {center: -0.5, want: 0, ok: true},
	} {
		for _, way := range []float64{1, -1} {
			for axis := range 3 {
				at := func(along, side float64) plugin.Vec {
					v := [3]float64{}
					v[axis], v[(axis+1)%3] = way*along, side
					return plugin.Vec{X: v[0], Y: v[1], Z: v[2]}
				}
				ray, center := plugin.NewRay(plugin.Vec{}, at(10, 0)), at(c.center, c.side)
				box := plugin.Box{
					Low:  plugin.Vec{X: center.X - 1, Y: center.Y - 1, Z: center.Z - 1},
					High: plugin.Vec{X: center.X + 1, Y: center.Y + 1, Z: center.Z + 1},
				}
				ball, meetsBall := ray.Ball(plugin.Ball{Center: center, Radius: 1})
				edge, meetsBox := ray.Box(&box)
				assert.Equal(t, c.ok, meetsBall, "%s: a ball, axis %d, way %v", name, axis, way)
				assert.Equal(t, c.ok, meetsBox, "%s: a box, axis %d, way %v", name, axis, way)
				if c.ok {
					assert.InDelta(t, c.want, ball, 1e-9, "%s: a ball, axis %d, way %v", name, axis, way)
					assert.InDelta(t, c.want, edge, 1e-9, "%s: a box, axis %d, way %v", name, axis, way)
				}
			}
		}
	}
}
