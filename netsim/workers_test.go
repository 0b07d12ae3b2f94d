package netsim_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
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

// bustleDatagrams runs a bustle for many clients, and returns all datagrams.
func bustleDatagrams(t *testing.T, clients, workers int) []string {
	sim := netsim.New(t, netsim.Config{Seed: 3, Link: netsim.Symmetric(conditioner.Config{
		Latency: 60 * ms, Jitter: 30 * ms, Loss: 0.1, Duplicate: 0.05,
	})})
	config := sim.ServerConfig(spotProtocol())
	config.Workers = workers
	serve(t, sim, config, bustle(rand.New(rand.NewPCG(3, 4))))
	sim.Watch()
	log := recordDatagrams(sim)
	for id := range clients {
		join(t, sim, entangle.ClientID(id+1))
	}
	sim.Run(2 * time.Second)
	for _, p := range sim.Peers() {
		require.True(t, p.Connected())
	}
	return log.all
}

// The bytes sent to each client depend neither on the number of processors nor on the number of
// workers, which may be fixed or chosen by the server.
func TestProcessorsAndWorkersChangeNoByte(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, clients := range []int{4, 8} {
		runtime.GOMAXPROCS(1)
		want := bustleDatagrams(t, clients, 1)
		for _, c := range [][2]int{{1, 2}, {2, 1}, {2, 2}, {2, 0}} {
			runtime.GOMAXPROCS(c[0])
			requireSameDatagrams(t, want, bustleDatagrams(t, clients, c[1]),
				fmt.Sprintf("%d clients, %d processors, %d workers", clients, c[0], c[1]))
		}
	}
}
