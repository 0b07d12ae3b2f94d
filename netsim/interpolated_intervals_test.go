package netsim_test

import (
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

// The interval of components.Interpolated is that of the entity's group, whatever moves or changes at run time.
// Values move forward all the time, and end as the server's.
//
// Proves: N1, N9
func TestIntervalsFollowTheGroup(t *testing.T) {
	link := conditioner.Config{Latency: 40 * time.Millisecond, Jitter: 5 * time.Millisecond}
	sim := netsim.New(t, netsim.Config{Link: netsim.Symmetric(link)})
	server, err := plugin.NewServer(sim.ServerConfig(smoothProtocol()))
	require.NoError(t, err)
	var world *ecs.World
	var moving, slow ecs.Entity
	still := false
	server.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
		world = w
		spawn := generic.NewMap4[smoothPlace, smoothLabel, smoothStamp, components.Replicate](w)
		add := func(n uint32, every uint16, group components.Group) ecs.Entity {
			return spawn.NewWith(&smoothPlace{}, &smoothLabel{n}, &smoothStamp{}, &components.Replicate{Interpolate: components.Everyone, SendEvery: every, Group: group})
		}
		moving, slow = add(0, 1, 0), add(1, 6, 7)
		filter := generic.NewFilter1[smoothPlace]()
		clock := generic.NewResource[components.Time](w)
		return func() {
			for q := filter.Query(w); q.Next(); {
				if !still {
					q.Get().X = float64(clock.Get().Tick)
				}
			}
		}
	}))
	sim.AddServer(server, server)
	client, err := plugin.NewClient(sim.ClientConfig(smoothProtocol()))
	require.NoError(t, err)
	peer := sim.AddClient(1, client, client)
	require.True(t, sim.RunUntil(5*time.Second, peer.Connected))
	sim.Run(2 * time.Second)
	replicate := func(e ecs.Entity) *components.Replicate {
		return (*components.Replicate)(world.Get(e, ecs.ComponentID[components.Replicate](world)))
	}
	filter := generic.NewFilter3[smoothPlace, smoothLabel, components.Interpolated]()
	last := map[uint32]float64{}
	intervals := func() map[uint32]uint32 {
		all := map[uint32]uint32{}
		for q := filter.Query(peer.World()); q.Next(); {
			at, label, mark := q.Get()
			all[label.N] = mark.SendEvery
			assert.GreaterOrEqual(t, at.X, last[label.N])
			last[label.N] = at.X
		}
		return all
	}
	run := func(d time.Duration) {
		for range d * 60 / time.Second {
			sim.Run(time.Second / 60)
			intervals()
		}
	}
	require.Equal(t, map[uint32]uint32{0: 1, 1: 6}, intervals())
	for _, step := range []struct {
		name string
		do   func()
		want map[uint32]uint32
	}{
		{"to 60", func() { replicate(moving).SendEvery = 60 }, map[uint32]uint32{0: 60, 1: 6}},
		{"into a group that is sent more often", func() { replicate(moving).Group = 7 }, map[uint32]uint32{0: 6, 1: 6}},
		{"of which the interval changes", func() { replicate(moving).SendEvery = 1 }, map[uint32]uint32{0: 1, 1: 1}},
		{"out of it", func() { replicate(moving).Group = 0 }, map[uint32]uint32{0: 1, 1: 6}},
		{"to 60 and back at once", func() {
			replicate(moving).SendEvery = 60
			sim.Run(time.Second / 60)
			replicate(moving).SendEvery = 1
		}, map[uint32]uint32{0: 1, 1: 6}},
		{"into a group, with another interval", func() {
			replicate(moving).SendEvery, replicate(moving).Group = 3, 7
		}, map[uint32]uint32{0: 3, 1: 3}},
		{"with another target", func() {
			replicate(moving).Interpolate, replicate(moving).Group = components.Nobody, 0
		}, map[uint32]uint32{1: 6}},
		{"and back", func() {
			replicate(moving).Interpolate, replicate(moving).Group, replicate(moving).SendEvery = components.Everyone, 7, 60
		}, map[uint32]uint32{0: 6, 1: 6}},
	} {
		step.do()
		run(8 * time.Second)
		got := intervals()
		assert.Equal(t, step.want, got, step.name)
	}
	still = true
	run(3 * time.Second)
	for q := filter.Query(peer.World()); q.Next(); {
		at, label, _ := q.Get()
		here := (*smoothPlace)(world.Get([]ecs.Entity{moving, slow}[label.N], ecs.ComponentID[smoothPlace](world)))
		assert.Equal(t, here.X, at.X)
	}
}
