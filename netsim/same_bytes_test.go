package netsim_test

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"runtime"
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
	"github.com/entangle-ecs/entangle/transport/conditioner"
)

// bustle is a game that changes something in every tick: values, groups, and the set of entities.
func bustle(rng *rand.Rand) plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		m := generic.NewMap3[Spot, Aim, components.Replicate](w)
		var all []ecs.Entity
		return func() {
			for len(all) < 40 {
				all = append(all, m.NewWith(&Spot{}, &Aim{}, &components.Replicate{Group: components.Group(rng.IntN(4))}))
			}
			for range 10 {
				i := rng.IntN(len(all))
				spot, aim, tag := m.Get(all[i])
				switch rng.IntN(8) {
				case 0:
					w.RemoveEntity(all[i])
					all = append(all[:i], all[i+1:]...)
				case 1:
					tag.Group = components.Group(rng.IntN(4))
				case 2:
					aim.At = all[rng.IntN(len(all))]
				default:
					*spot = Spot{int8(rng.IntN(256) - 128), int8(rng.IntN(256) - 128)}
				}
			}
		}
	})
}

// datagrams runs a bustle for many clients, and returns all datagrams.
func datagrams(t *testing.T, clients, workers int) (all []string) {
	sim := netsim.New(t, netsim.Config{Seed: 3, Link: netsim.Symmetric(conditioner.Config{
		Latency: 60 * ms, Jitter: 30 * ms, Loss: 0.1, Duplicate: 0.05,
	})})
	config := sim.ServerConfig(spotProtocol())
	config.Workers = workers
	server, err := plugin.NewServer(config)
	require.NoError(t, err)
	server.AddSystem(plugin.FixedMain, bustle(rand.New(rand.NewPCG(3, 4))))
	sim.AddServer(server, server)
	sim.Watch()
	sim.Network().Tap(func(from, to netip.AddrPort, datagram []byte) {
		all = append(all, fmt.Sprintf("%v %v to %v: %x", sim.Clock().Since(), from, to, datagram))
	})
	for id := range clients {
		join(t, sim, entangle.ClientID(id+1))
	}
	sim.Run(2 * time.Second)
	for _, p := range sim.Peers() {
		require.True(t, p.Connected())
	}
	return all
}

// The bytes sent to each client depend neither on the processors nor on the number of workers,
// which is one for every two clients, or as many as the work is worth.
func TestProcessorsAndWorkersChangeNoByte(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, clients := range []int{4, 8} {
		runtime.GOMAXPROCS(1)
		want := datagrams(t, clients, 1)
		require.NotEmpty(t, want)
		for _, c := range [][2]int{{1, 2}, {2, 1}, {2, 2}, {2, 0}} {
			runtime.GOMAXPROCS(c[0])
			got := datagrams(t, clients, c[1])
			require.Len(t, got, len(want))
			for i := range want {
				if want[i] != got[i] {
					assert.Failf(t, "other bytes", "%d clients, %d processors, %d workers: datagram %d is\n%s, should be\n%s",
						clients, c[0], c[1], i, got[i], want[i])
					break
				}
			}
		}
	}
}
