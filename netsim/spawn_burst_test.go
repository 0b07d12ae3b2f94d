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

// mover is the position of an entity of a crowd.
type mover struct {
	X, Y float32 `net:"range=-1000..1000,step=0.01"`
}

// bare is a component that entities of a crowd gain and lose.
type bare struct{ On bool }

// crowdKinds lists how the position of a crowd may be registered.
var crowdKinds = []string{"plain", "delta", "motion"}

func crowdProtocol(kind string) *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "crowd"})
	rule := protocol.Component[mover](p)
	protocol.Component[bare](p)
	if kind != "plain" {
		rule.Delta()
	}
	if kind == "motion" {
		rule.Motion()
	}
	return p
}

// crowd is a set of entities that all move in every tick, each at its own speed.
type crowd struct {
	many  int
	group func(w *ecs.World, i int) components.Replicate // nil if all entities have the same Replicate
	each  func(w *ecs.World, all []ecs.Entity)           // is also called in every tick; may be nil
	rest  bool
}

func (c *crowd) system() plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		m, rng := generic.NewMap2[mover, components.Replicate](w), rand.New(rand.NewPCG(1, 2))
		ecs.ComponentID[bare](w)
		all, speed := make([]ecs.Entity, c.many), make([]mover, c.many)
		for i := range all {
			tag := components.Replicate{}
			if c.group != nil {
				tag = c.group(w, i)
			}
			all[i] = m.NewWith(&mover{rng.Float32()*200 - 100, rng.Float32()*200 - 100}, &tag)
			speed[i] = mover{rng.Float32()*0.2 - 0.1, rng.Float32()*0.2 - 0.1}
		}
		return func() {
			if c.rest {
				return
			}
			for i, e := range all {
				at, _ := m.Get(e)
				at.X += speed[i].X
				at.Y += speed[i].Y
			}
			if c.each != nil {
				c.each(w, all)
			}
		}
	})
}

// meetCrowd lets a client receive a crowd over a link, and requires that it stays connected and
// finally equals the server. The client keeps at most the given number of bytes of early arrivals;
// 0: the default.
func meetCrowd(t *testing.T, c *crowd, kind string, link conditioner.Config, seed uint64, moves time.Duration, waiting int) (plugin.ReplicaStats, plugin.ReplicationStats) {
	t.Helper()
	sim := netsim.New(t, netsim.Config{Seed: seed, Link: netsim.Symmetric(link)})
	server := serve(t, sim, sim.ServerConfig(crowdProtocol(kind)), c.system())
	cfg := sim.ClientConfig(crowdProtocol(kind))
	cfg.MaxWaitingBytes = waiting
	cfg.Strict = false // Strict would compare every entity around every system, which this test does not need
	client := newClient(t, cfg)
	peer := sim.AddClient(1, client, client)
	sim.Run(moves)
	c.rest = true
	for range 20 {
		if sim.Run(500 * ms); client.Joined() && sim.Equal() == nil {
			break
		}
	}
	require.True(t, peer.Connected(), client.Err())
	require.NoError(t, sim.Equal())
	stats := client.Stats().Replication
	return stats, server.Stats().Replication
}

// 20,000 moving entities, plain or sent as differences, appear on a client at once, without a cap,
// on a line that reorders packets, with loss and without. Updates of thousands of entities arrive
// before their spawns, which is more than a client keeps. The worlds are equal in the end, and no
// client is disconnected.
//
// Proves: R44
func TestACrowdAppearsAtOnce(t *testing.T) {
	many, moves := 20_000, time.Second
	if testing.Short() {
		many, moves = 12_000, 700*ms
	}
	for _, kind := range crowdKinds {
		for _, loss := range []float64{0, 0.05} {
			t.Run(fmt.Sprintf("%s, %v%% loss", kind, loss*100), func(t *testing.T) {
				link := conditioner.Config{Latency: 20 * ms, Jitter: 20 * ms, Loss: loss}
				client, _ := meetCrowd(t, &crowd{many: many}, kind, link, 7, moves, 0)
				assert.Positive(t, client.Waited)
			})
		}
	}
}

// 20,000 entities keep moving while a client joins over a bad line: their values alone would fill ninety
// packets per frame, of which many overtake others and would be dropped, and with them the spawns. The
// packets become fewer, and the client has joined after three seconds, while everything still moves.
//
// Proves: R44
func TestACrowdThatKeepsMovingDoesNotKeepAClientFromJoining(t *testing.T) {
	for _, loss := range []float64{0, 0.1} {
		t.Run(fmt.Sprintf("%v%% loss", loss*100), func(t *testing.T) {
			link := conditioner.Config{Latency: 60 * ms, Jitter: 20 * ms, Loss: loss}
			sim := netsim.New(t, netsim.Config{Seed: 1, Link: netsim.Symmetric(link)})
			serve(t, sim, sim.ServerConfig(crowdProtocol("delta")), (&crowd{many: 20_000}).system())
			cfg := sim.ClientConfig(crowdProtocol("delta"))
			cfg.Strict = false
			client := newClient(t, cfg)
			peer := sim.AddClient(1, client, client)
			sim.Run(3 * time.Second)
			assert.True(t, peer.Connected() && client.Joined(), client.Err())
		})
	}
}

// Random bursts of a few hundred to a few thousand moving entities appear at once. Some gain and lose a component
// meanwhile, and some meet a client that keeps little early data. Some bursts are for all
// clients and some for this client alone. The client drops updates and
// stays connected, and the worlds are equal in the end.
//
// Proves: R39, R44
func TestRandomSpawnBursts(t *testing.T) {
	var overflows uint64
	for seed := range uint64(16) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 0x63726f7764))
			link := conditioner.Config{
				Latency: time.Duration(rng.IntN(100)) * ms, Jitter: time.Duration(rng.IntN(40)) * ms,
				Loss: []float64{0, 0.05, 0.2}[rng.IntN(3)],
			}
			private, churn := rng.IntN(4), rng.IntN(300)
			c := &crowd{many: 200 + rng.IntN(2500)}
			c.group = func(w *ecs.World, i int) (tag components.Replicate) {
				if i%3 < private {
					tag.Target = ecs.GetResource[components.Targets](w).Only(1)
				}
				return tag
			}
			c.each = func(w *ecs.World, all []ecs.Entity) {
				id := ecs.ComponentID[bare](w)
				for range churn {
					if e := all[rng.IntN(len(all))]; w.Has(e, id) {
						w.Remove(e, id)
					} else {
						w.Add(e, id)
					}
				}
			}
			kind, waiting := crowdKinds[rng.IntN(len(crowdKinds))], 500+rng.IntN(10_000)
			if seed%2 == 0 {
				waiting = 0 // the default
			} else {
				c.each = nil
			}
			client, _ := meetCrowd(t, c, kind, link, seed+1, time.Second, waiting)
			overflows += client.Overflow
		})
	}
	t.Logf("%d updates found no room", overflows)
	if !t.Failed() {
		assert.Positive(t, overflows)
	}
}
