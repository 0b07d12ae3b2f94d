package plugin_test

import (
	"testing"

	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
)

// Every client gets the same world for any number of goroutines that write the packets, while
// entities move, spawn, despawn and change their groups.
func TestWorkersSendTheSameWorlds(t *testing.T) {
	for _, workers := range []int{1, 2, 7} {
		g := newGameWith(t, func(c *plugin.ServerConfig) { c.Workers, c.MaxClients = workers, 20 })
		for id := range entangle.ClientID(16) {
			g.join(id + 1)
		}
		markers := generic.NewMap1[components.Replicate](g.world)
		places := generic.NewMap1[spot](g.world)
		for tick := range 120 {
			if tick%4 == 0 {
				e := g.spawn(spot{X: float32(tick)}, name{ID: uint32(tick)})
				markers.Get(e).Group = components.Group(tick % 3)
			}
			moved := generic.NewFilter1[spot]().Query(g.world)
			for moved.Next() {
				e := moved.Entity()
				places.Get(e).Y += float32(workers)
				if tick%7 == 0 {
					markers.Get(e).Group = components.Group(e.ID()%4) % components.Group(tick+1)
				}
			}
			g.run(1)
		}
		g.run(60)
		want := spots(g.world)
		require.Len(t, want, 30)
		for _, c := range g.clients {
			require.Equal(t, want, spots(c.world))
		}
	}
	_, err := plugin.NewServer(plugin.ServerConfig{Protocol: testProtocol(), Workers: -1})
	require.ErrorContains(t, err, "Workers")
}
