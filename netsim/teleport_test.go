package netsim_test

import (
	"math"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/transport/conditioner"
)

// An entity that the server teleports to a near place is never shown between the two, whatever is lost, also when
// it is teleported twice between two updates, more than 256 times, or in the tick in which it appears.
//
// Proves: N16
func TestTeleportsAreNotShownOnAWay(t *testing.T) {
	for _, mark := range []bool{true, false} {
		link := conditioner.Config{Latency: 50 * time.Millisecond, Jitter: 15 * time.Millisecond, Loss: 0.2}
		g := newSmoothGame(t, netsim.Config{Link: netsim.Symmetric(link)}, 1)
		places := generic.NewMap1[smoothPlace](g.sim.World())
		entity, tick, y := g.spawned[0], 0, 0.0
		g.write = func(w *ecs.World) {
			tick++
			if tick%11 == 0 || tick%11 == 1 && tick%3 == 0 { // sometimes twice between two updates
				if y = 3 - y; mark {
					plugin.Teleport(w, entity)
					plugin.Teleport(w, entity)
				}
			}
			places.Get(entity).Y = y
			if tick%2000 == 0 {
				w.RemoveEntity(entity)
				spawn := generic.NewMap3[smoothPlace, smoothLabel, components.Replicate](w)
				entity = spawn.NewWith(
					&smoothPlace{Y: y}, &smoothLabel{}, &components.Replicate{Interpolate: components.Everyone, SendEvery: 4})
				plugin.Teleport(w, entity)
			}
		}
		g.sim.Run(time.Second)
		between, changes, last := 0, 0, 0.0
		for range 3600 {
			g.sim.Run(time.Second / 60)
			_, at, ok := g.find(0)
			if !ok {
				continue
			}
			if at.Y != 0 && at.Y != 3 {
				between++
			}
			if at.Y != last {
				changes++
			}
			last = at.Y
		}
		if mark {
			assert.Zero(t, between)
			assert.Greater(t, changes, 200)
		} else {
			assert.Greater(t, between, 500)
		}
	}
}

// An entity that becomes predicted, or interpolated again, while it is teleported jumps, and is never shown on a way
// between the two places. If it is interpolated from then on, it jumps back into the past before.
//
// Proves: N16
func TestATeleportAtASwitch(t *testing.T) {
	for offset := range 12 {
		link := conditioner.Config{Latency: 60 * time.Millisecond, Jitter: 8 * time.Millisecond}
		g := newSmoothGame(t, netsim.Config{Link: netsim.Symmetric(link)}, 1)
		entity, frame := g.spawned[0], 0
		maps := generic.NewMap2[smoothPlace, components.Replicate](g.sim.World())
		y := 0.0
		g.write = func(w *ecs.World) {
			place, replicate := maps.Get(entity)
			place.X = 0
			switch frame++; frame % 240 {
			case 60:
				replicate.Predict = components.Everyone
			case 180:
				replicate.Predict = components.Nobody
			case 54 + offset, 174 + offset:
				y = 100 - y
				plugin.Teleport(w, entity)
			}
			place.Y = y
		}
		last, jumps := math.NaN(), 0
		for range 960 {
			g.sim.Run(time.Second / 60)
			_, at, ok := g.find(0)
			require.True(t, ok)
			assert.Contains(t, []float64{0, 100}, at.Y, "offset %d", offset)
			if last == at.Y {
				continue
			}
			jumps++
			last = at.Y
		}
		assert.LessOrEqual(t, jumps, 17, "at first, at 8 teleports, and back into the past at 4 switches, offset %d", offset)
	}
}
