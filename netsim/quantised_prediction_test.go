package netsim_test

import (
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

// glider moves by steps that quantised values cannot express: after each tick its value has to be
// rounded.
type (
	glider struct {
		X, Y float32 `net:"range=-500..500,step=0.01"`
	}
	drift struct {
		X, Y float32 `net:"range=-100..100,step=0.05"`
	}
	course struct {
		Yaw float32 `net:"angle,bits=12"`
	}
)

func glidingProtocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "gliding"})
	protocol.Component[glider](p).Predict(protocol.Full)
	protocol.Component[drift](p).Predict(protocol.Full)
	protocol.Component[course](p).Predict(protocol.Full)
	return p
}

// gliding is the same system on both sides. It records its state at the start of each tick, as
// sums.
func gliding(sums map[entangle.Tick]float64) plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		all := generic.NewFilter3[glider, drift, course]()
		time := ecs.GetResource[components.Time](w)
		return func() {
			sum := 0.0
			for q := all.Query(w); q.Next(); {
				at, v, to := q.Get()
				sum += float64(at.X) + float64(at.Y) + float64(v.X) + float64(v.Y) + float64(to.Yaw)
				turnBack(at, v, to)
			}
			sums[time.Tick] = sum
		}
	})
}

func turnBack(at *glider, v *drift, to *course) {
	at.X, at.Y = at.X+v.X/60, at.Y+v.Y/60
	v.X, v.Y = v.X-at.X*0.003, v.Y-at.Y*0.003
	to.Yaw += v.X * 0.001
}

// Both sides compute with values that the wire can express, so that a client that predicts a whole
// world without surprises never mispredicts.
//
// Proves: B1
func TestQuantisedValuesArePredictedExactly(t *testing.T) {
	sim := netsim.New(t, netsim.Config{Link: rough(50*ms, 5*ms, 0.02)})
	there, here := map[entangle.Tick]float64{}, map[entangle.Tick]float64{}
	serve(t, sim, sim.ServerConfig(glidingProtocol()), gliding(there))
	gliders := generic.NewMap4[glider, drift, course, components.Replicate](sim.World())
	for i := range 20 {
		gliders.NewWith(&glider{X: float32(i) * 7.3}, &drift{X: 3, Y: float32(i)}, &course{},
			&components.Replicate{Predict: components.Everyone})
	}
	client := newClient(t, sim.ClientConfig(glidingProtocol()))
	client.AddSystem(plugin.FixedMain, gliding(here))
	peer := sim.AddClient(1, client, client)
	require.True(t, sim.RunUntil(5*time.Second, peer.Connected))
	sim.Run(5 * time.Second)
	before := client.Stats().Rollbacks
	clear(here)
	sim.Run(10_000 * time.Second / 60)
	after := client.Stats().Rollbacks
	assert.Equal(t, before.Rollbacks, after.Rollbacks)
	assert.Equal(t, before.Corrections, after.Corrections)
	require.Greater(t, len(here), 9_990)
	for tick, sum := range here {
		if there[tick] != 0 { // the server has run this tick, too
			require.InDelta(t, there[tick], sum, 1e-9, "tick %d", tick)
		}
	}
}
