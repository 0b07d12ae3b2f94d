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
	"github.com/entangle-ecs/entangle/transport/conditioner"
)

type (
	smoothPlace struct{ X, Y float64 }
	smoothLabel struct{ N uint32 }
	smoothStamp struct{ Tick uint32 } // the tick at which it was written: it steps
)

func smoothProtocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "smooth"})
	protocol.Component[smoothPlace](p).Interpolate(protocol.Linear[smoothPlace])
	protocol.Component[smoothLabel](p)
	protocol.Component[smoothStamp](p)
	protocol.Component[components.Interpolated](p)
	return p
}

// An interpolated entity is shown between the two samples around the shown time, and values without a
// function step at their tick.
//
// Proves: N1, N5, N9
func TestInterpolatedEntitiesMoveSmoothly(t *testing.T) {
	bad := conditioner.Config{Latency: 60 * time.Millisecond, Jitter: 15 * time.Millisecond, Loss: 0.05}
	sim := netsim.New(t, netsim.Config{Link: netsim.Symmetric(bad)})
	server, err := plugin.NewServer(sim.ServerConfig(smoothProtocol()))
	require.NoError(t, err)
	var now entangle.Tick
	server.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
		spawn := generic.NewMap4[smoothPlace, smoothLabel, smoothStamp, components.Replicate](w)
		for i := range uint32(20) {
			spawn.NewWith(&smoothPlace{}, &smoothLabel{i}, &smoothStamp{}, &components.Replicate{Interpolate: components.Everyone})
		}
		filter := generic.NewFilter3[smoothPlace, smoothLabel, smoothStamp]()
		clock := generic.NewResource[components.Time](w)
		return func() {
			now = clock.Get().Tick
			for q := filter.Query(w); q.Next(); {
				at, n, s := q.Get()
				at.X, at.Y = float64(now), float64(n.N)
				s.Tick = uint32(now)
			}
		}
	}))
	sim.AddServer(server, server)
	client, err := plugin.NewClient(sim.ClientConfig(smoothProtocol()))
	require.NoError(t, err)
	peer := sim.AddClient(1, client, client)
	require.True(t, sim.RunUntil(5*time.Second, peer.Connected))
	sim.Run(3 * time.Second)
	w := peer.World()
	filter := generic.NewFilter4[smoothPlace, smoothLabel, smoothStamp, components.Interpolated]()
	last := map[uint32]float64{}
	samples := plugin.NewSamples[smoothPlace](w)
	frames, still, jumps := 0, 0, 0
	for range 600 {
		sim.Run(time.Second / 60)
		n := 0
		for q := filter.Query(w); q.Next(); {
			at, l, s, _ := q.Get()
			n++
			from, to, share, ok := samples.Get(q.Entity())
			require.True(t, ok)
			assert.InDelta(t, from.X+(to.X-from.X)*share, at.X, 1e-4)
			step := at.X - last[l.N]
			if last[l.N] != 0 {
				frames++
				if step == 0 {
					still++
				}
				if step > 1.5 || step < 0 {
					jumps++
				}
			}
			last[l.N] = at.X
			assert.LessOrEqual(t, float64(s.Tick), at.X+1)
			assert.Greater(t, float64(now), at.X)
		}
		require.Equal(t, 20, n)
	}
	t.Log(frames, still, jumps, float64(now)-last[0])
	assert.Less(t, still, frames/200)
	assert.Less(t, jumps, frames/200)
}
