package netsim_test

import (
	"fmt"
	"math"
	"math/rand/v2"
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

// stroll is the position of a walking entity, and pulse another component that changes.
type (
	stroll struct {
		X, Y float32 `net:"range=-1000..1000,step=0.01"`
		Turn float32 `net:"angle"`
	}
	pulse struct {
		Level uint16 `net:"range=0..60000"`
	}
)

func strollProtocol(adaptive bool) *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "strolls"})
	rule := protocol.Component[stroll](p).Delta().Motion()
	pulses := protocol.Component[pulse](p).Delta()
	if adaptive {
		rule.Adaptive()
		pulses.Adaptive()
	}
	return p
}

// strolls is a crowd of entities, each of which walks, and from time to time turns or rests.
type strolls struct {
	world *ecs.World
	m     generic.Map3[stroll, pulse, components.Replicate]
	rng   *rand.Rand
	all   []ecs.Entity
	tick  int
	many  int  // number of entities
	still bool // no entity moves any more
	wild  bool // entities also spawn, despawn and change groups
	extra func(*strolls)
}

func (s *strolls) system() plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		s.world, s.m = w, generic.NewMap3[stroll, pulse, components.Replicate](w)
		return s.step
	})
}

func (s *strolls) step() {
	if s.tick++; s.still {
		return
	}
	for len(s.all) < s.many {
		at := &stroll{X: float32(s.rng.IntN(1000) - 500), Y: float32(s.rng.IntN(1000) - 500), Turn: s.rng.Float32() * 6}
		s.all = append(s.all, s.m.NewWith(at, &pulse{}, &components.Replicate{Group: components.Group(s.rng.IntN(2))}))
	}
	for i, e := range s.all {
		if (s.tick/100+i)%3 == 0 {
			continue
		}
		at, beat, tag := s.m.Get(e)
		at.X += float32(math.Cos(float64(at.Turn))) * 0.07
		at.Y += float32(math.Sin(float64(at.Turn))) * 0.07
		if s.rng.IntN(16) == 0 {
			at.Turn += s.rng.Float32() - 0.5
		}
		beat.Level += uint16(i % 5)
		if s.wild && s.rng.IntN(300) == 0 {
			tag.Group = components.Group(s.rng.IntN(3))
		}
	}
	if s.wild && s.rng.IntN(20) == 0 {
		i := s.rng.IntN(len(s.all))
		s.world.RemoveEntity(s.all[i])
		s.all = append(s.all[:i], s.all[i+1:]...)
	}
	if s.extra != nil {
		s.extra(s)
	}
}

func strollServer(t *testing.T, sim *netsim.Sim, s *strolls, adaptive bool, workers int) *plugin.Server {
	cfg := sim.ServerConfig(strollProtocol(adaptive))
	cfg.Workers = workers
	server := serve(t, sim, cfg, s.system())
	return server
}

// strollBytes returns the bytes that a server sends to a client after an initial delay.
func strollBytes(t *testing.T, adaptive bool) int {
	sim := netsim.New(t, netsim.Config{Seed: 7, Link: latency(40 * ms)})
	s := &strolls{rng: rand.New(rand.NewPCG(1, 2)), many: 240}
	server := strollServer(t, sim, s, adaptive, 1)
	joinWith(t, sim, 1, strollProtocol(adaptive))
	sim.Run(3 * time.Second)
	before := server.Stats().BytesOut
	sim.Run(12 * time.Second)
	bytes := server.Stats().BytesOut - before
	s.still = true
	sim.Run(time.Second)
	require.NoError(t, sim.Equal())
	return int(bytes)
}

// In a world where many entities walk, learned codes save at least a twentieth of all bytes sent,
// including the tables and the cost of packets.
//
// Proves: R30
func TestLearnedCodesSaveBytes(t *testing.T) {
	without, with := strollBytes(t, false), strollBytes(t, true)
	assert.Less(t, with, without*95/100, "of %d bytes", without)
}

// With learned codes every client shows the server's state of a tick, even if it joins late,
// packets are lost, or entities are spawned and despawned meanwhile.
//
// Proves: R30
func TestLearnedCodesOverBadLinks(t *testing.T) {
	for seed := range uint64(2) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			sim := netsim.New(t, netsim.Config{Seed: seed, Link: netsim.Symmetric(conditioner.Config{
				Latency: 60 * ms, Jitter: 40 * ms, Loss: 0.1, Duplicate: 0.1,
			})})
			s := &strolls{rng: rand.New(rand.NewPCG(seed, 3)), many: 60, wild: true}
			strollServer(t, sim, s, true, 1)
			sim.Watch()
			for id := range 3 {
				joinWith(t, sim, entangle.ClientID(id+1), strollProtocol(true))
				sim.Run(5 * time.Second)
			}
			for _, p := range sim.Peers() {
				require.True(t, p.Connected())
			}
		})
	}
}

// strollLines returns all datagrams from and to client 2.
func strollLines(t *testing.T, workers int, extra func(*strolls)) []string {
	sim := netsim.New(t, netsim.Config{Seed: 5})
	s := &strolls{rng: rand.New(rand.NewPCG(4, 5)), many: 60, extra: extra}
	strollServer(t, sim, s, true, workers)
	for id := range 4 {
		joinWith(t, sim, entangle.ClientID(id+1), strollProtocol(true))
	}
	return datagramsOf(t, sim, 2)
}

// The learned codes, and when they are learned, depend only on public entities and on ticks. They
// depend neither on entities hidden from a client nor on the number of workers.
//
// Proves: V13
func TestLearnedCodesRevealNothingHidden(t *testing.T) {
	want := strollLines(t, 1, nil)
	t.Run("workers", func(t *testing.T) { requireSameDatagrams(t, want, strollLines(t, 2, nil)) })
	var hidden []ecs.Entity
	t.Run("hidden entities jump about", func(t *testing.T) {
		requireSameDatagrams(t, want, strollLines(t, 1, func(s *strolls) {
			dark := rand.New(rand.NewPCG(uint64(s.tick), 6))
			for len(hidden) < 30 {
				target := ecs.GetResource[components.Targets](s.world).Only(1)
				hidden = append(hidden, s.m.NewWith(&stroll{}, &pulse{}, &components.Replicate{Target: target}))
			}
			for _, e := range hidden {
				at, beat, _ := s.m.Get(e)
				at.X, at.Y, beat.Level = dark.Float32()*900, dark.Float32()*900, uint16(dark.IntN(60000))
			}
		}))
	})
}
