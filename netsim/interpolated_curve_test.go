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
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/transport/conditioner"
)

type (
	ballPlace struct{ X, Y float64 }
	ballSpeed struct{ X, Y float64 } // per second
)

const ballTurns = 2 * time.Second // of the circle on which balls move

func ballProtocol(curve bool) *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "balls"})
	protocol.Component[ballPlace](p).Interpolate(protocol.Linear)
	protocol.Component[ballSpeed](p).Interpolate(protocol.Linear)
	protocol.Component[components.Interpolated](p)
	if curve {
		protocol.InterpolateWith(p, protocol.Hermite[ballPlace, ballSpeed])
	}
	return p
}

// ballAt returns a place on a circle of radius 1, and the velocity there.
func ballAt(seconds float64) (at ballPlace, v ballSpeed) {
	turn := 2 * math.Pi / ballTurns.Seconds()
	sin, cos := math.Sincos(turn * seconds)
	return ballPlace{cos, sin}, ballSpeed{-sin * turn, cos * turn}
}

// worstRadius returns how far from the circle a client shows a ball that is sent five times per second, and
// its greatest step from frame to frame in proportion to that of the ball on the server.
func worstRadius(t *testing.T, curve, speed bool) (worst, fastest float64) {
	t.Helper()
	link := conditioner.Config{Latency: 40 * time.Millisecond, Jitter: 5 * time.Millisecond}
	sim := netsim.New(t, netsim.Config{Link: netsim.Symmetric(link)})
	server, err := plugin.NewServer(sim.ServerConfig(ballProtocol(curve)))
	require.NoError(t, err)
	server.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
		balls := generic.NewMap2[ballPlace, components.Replicate](w)
		speeds := generic.NewMap1[ballSpeed](w)
		ball := balls.NewWith(&ballPlace{}, &components.Replicate{Interpolate: components.Everyone, SendEvery: 12})
		if speed {
			speeds.Add(ball)
		}
		clock := generic.NewResource[components.Time](w)
		return func() {
			at, v := ballAt(float64(clock.Get().Tick) / 60)
			place, _ := balls.Get(ball)
			if *place = at; speed {
				*speeds.Get(ball) = v
			}
		}
	}))
	sim.AddServer(server, server)
	client, err := plugin.NewClient(sim.ClientConfig(ballProtocol(curve)))
	require.NoError(t, err)
	peer := sim.AddClient(1, client, client)
	require.True(t, sim.RunUntil(5*time.Second, peer.Connected))
	sim.Run(3 * time.Second)
	filter := generic.NewFilter1[ballPlace]()
	var last ballPlace
	for frame := range 300 {
		sim.Run(time.Second / 60)
		q := filter.Query(peer.World())
		require.True(t, q.Next())
		at := *q.Get()
		q.Close()
		worst = max(worst, math.Abs(math.Hypot(at.X, at.Y)-1))
		if frame > 0 {
			fastest = max(fastest, math.Hypot(at.X-last.X, at.Y-last.Y)*60*ballTurns.Seconds()/(2*math.Pi))
		}
		last = at
	}
	return worst, fastest
}

// A ball on a circle with updates far apart is shown on the circle by a function of its place and its
// velocity. An entity without the velocity is shown in a line, which cuts the corners.
//
// Proves: N5
func TestPlacesAreBlendedTogetherWithVelocities(t *testing.T) {
	for _, c := range []struct {
		name         string
		curve, speed bool
		least, most  float64
	}{
		{"a curve", true, true, 0, 0.002},
		{"an entity without velocity", true, false, 0.03, 0.06},
		{"no function over both", false, true, 0.03, 0.06},
	} {
		t.Run(c.name, func(t *testing.T) {
			worst, fastest := worstRadius(t, c.curve, c.speed)
			t.Logf("%.4f from the circle, at most at %.3f of its speed", worst, fastest)
			assert.GreaterOrEqual(t, worst, c.least)
			assert.LessOrEqual(t, worst, c.most)
			assert.Less(t, fastest, 1.15)
		})
	}
}
