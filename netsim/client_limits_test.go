package netsim_test

import (
	"fmt"
	"math/rand/v2"
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

// swell is a world that keeps approximately a set number of entities, which are spawned, change
// groups and are despawned.
type swell struct {
	rng  *rand.Rand
	all  []ecs.Entity
	goal int
}

func (s *swell) growSystem() plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		m := generic.NewMap2[Spot, components.Replicate](w)
		return func() {
			for len(s.all) < s.goal {
				s.all = append(s.all, m.NewWith(&Spot{}, &components.Replicate{Group: components.Group(s.rng.IntN(4))}))
			}
			for range 2 {
				i := s.rng.IntN(len(s.all))
				spot, replicate := m.Get(s.all[i])
				if spot.X++; s.rng.IntN(2) == 0 {
					replicate.Group = components.Group(s.rng.IntN(4))
				}
			}
			gone := max(len(s.all)-s.goal, s.rng.IntN(3)/2)
			for _, e := range s.all[:gone] {
				w.RemoveEntity(e)
			}
			s.all = s.all[gone:]
		}
	})
}

// A client that can hold forty entities follows a world that has thirty, however often they are
// replaced on a bad line. If the world has more than forty, the client disconnects and keeps none
// of them. Once the world has thirty again, the client can rejoin.
//
// Proves: Z7, Z17
func TestAClientLeavesAWorldThatIsTooLargeForIt(t *testing.T) {
	for seed := uint64(1); seed <= 4; seed++ {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			link := conditioner.Config{Latency: 40 * ms, Jitter: 20 * ms, Loss: 0.1, Duplicate: 0.05}
			sim := netsim.New(t, netsim.Config{Seed: seed, Link: netsim.Symmetric(link)})
			protocolOf := func() *protocol.Protocol {
				p := protocol.New(protocol.Config{Name: "crowded", TickRate: 50})
				protocol.Component[Spot](p)
				return p
			}
			server := newServer(t, sim.ServerConfig(protocolOf()))
			s := &swell{rng: rand.New(rand.NewPCG(seed, 9)), goal: 30}
			server.AddSystem(plugin.FixedMain, s.growSystem())
			sim.AddServer(server, server)
			config := sim.ClientConfig(protocolOf())
			config.MaxEntities = 40
			c := newClient(t, config)
			p := sim.AddClient(1, c, c)
			for range 3 {
				require.True(t, sim.RunUntil(10*time.Second, c.Joined), c.Err())
				sim.Run(5 * time.Second)
				require.Equal(t, plugin.Connected, c.State(), c.Err())
				s.goal = 80
				sim.Run(3 * time.Second)
				require.Equal(t, plugin.Disconnected, c.State())
				assert.ErrorContains(t, c.Err(), "more than 40 entities")
				assert.Zero(t, p.World().Stats().Entities.Used)
				s.goal = 30
				sim.Run(time.Second)
				p.Connect()
			}
		})
	}
}
