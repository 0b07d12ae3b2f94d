package netsim_test

import (
	"regexp"
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

// A cart rolls by itself, and a player steers it. On the server a gust moves it from time to time,
// which clients cannot predict.
type (
	cart struct {
		Pos, Speed struct{ X, Y int32 }
	}
	reins struct{ Pull int8 }
)

func cartProtocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "carts"})
	protocol.Component[components.ControlledBy](p)
	protocol.Component[cart](p).Predict(protocol.Full)
	protocol.Input[reins](p)
	return p
}

func rollCarts(w *ecs.World) func() {
	filter := generic.NewFilter2[cart, reins]().Without(generic.T[components.Remote]())
	return func() {
		for q := filter.Query(w); q.Next(); {
			c, r := q.Get()
			c.Pos.X += 1 + int32(r.Pull)
			c.Pos.Y += c.Speed.Y
		}
	}
}

// gust moves carts every second.
func gust(w *ecs.World) func() {
	filter, now := generic.NewFilter1[cart](), ecs.GetResource[components.Time](w)
	return func() {
		for q := filter.Query(w); q.Next(); {
			if now.Tick%60 == 0 {
				q.Get().Pos.Y += 100
			}
		}
	}
}

// newCarts returns a game with one client, which has joined and predicts its cart.
func newCarts(t netsim.T, config netsim.Config, windy bool) (*netsim.Sim, *netsim.Peer) {
	sim := netsim.New(t, config)
	server, err := plugin.NewServer(sim.ServerConfig(cartProtocol()))
	checkCart(t, err)
	server.AddSystem(plugin.FixedMain, plugin.Func(rollCarts))
	if windy {
		server.AddSystem(plugin.FixedMain, plugin.Func(gust))
	}
	sim.AddServer(server, server)
	spawn := generic.NewMap4[cart, reins, components.ControlledBy, components.Replicate](sim.World())
	spawn.NewWith(&cart{}, &reins{}, &components.ControlledBy{Client: 1}, &components.Replicate{Predict: components.Everyone})
	client, err := plugin.NewClient(sim.ClientConfig(cartProtocol()))
	checkCart(t, err)
	client.AddSystem(plugin.FixedMain, plugin.Func(rollCarts))
	client.AddSystem(plugin.FixedInput, plugin.Func(func(w *ecs.World) func() {
		mine, now := generic.NewFilter1[reins]().With(generic.T[components.Controlled]()), ecs.GetResource[components.Time](w)
		return func() {
			for q := mine.Query(w); q.Next(); {
				q.Get().Pull = int8(now.Tick / 20 % 3)
			}
		}
	}))
	return sim, sim.AddClient(1, client, client)
}

func checkCart(t netsim.T, err error) {
	if err != nil {
		t.Fatalf("%v", err)
	}
}

// A client without mispredictions does not roll back, and has nothing to explain.
func TestACalmGameHasNothingToExplain(t *testing.T) {
	link := netsim.Symmetric(conditioner.Config{Latency: 60 * time.Millisecond, Jitter: 10 * time.Millisecond})
	n := &notes{failed: true}
	sim, peer := newCarts(n, netsim.Config{Link: link}, false)
	sim.Run(5 * time.Second) // the first inputs arrive too late
	before := peer.Client().Rollbacks()
	sim.Run(20 * time.Second)
	assert.Equal(t, before, peer.Client().Rollbacks())
	assert.Empty(t, n.failure)
}

// A rollback that a change on the server causes is reported with the field, both values, and the
// player's input of that tick. A failing test logs the report.
func TestAFailedTestLogsWhyClientsRolledBack(t *testing.T) {
	link := netsim.Symmetric(conditioner.Config{Latency: 60 * time.Millisecond, Jitter: 10 * time.Millisecond})
	n := &notes{failed: true}
	sim, peer := newCarts(n, netsim.Config{Link: link}, true)
	sim.Run(20 * time.Second)
	assert.Empty(t, n.failure)
	list := peer.Client().Rollbacks()
	require.NotEmpty(t, list)
	last := list[len(list)-1]
	assert.Equal(t, plugin.ByMismatch, last.Reason)
	assert.Equal(t, "cart.Pos.Y", last.Field)
	assert.Regexp(t, `^\{Pull:[0-2]\}$`, last.Input)
	assert.Equal(t, plugin.FreshInput, last.Status)
	assert.Zero(t, last.Entities)
	n.runCleanup()
	assert.Contains(t, n.logged, "netsim: client 1 rolled back, the last times:\n  tick ")
	assert.Contains(t, n.logged, last.String())
	assert.Regexp(t, regexp.MustCompile(`tick \d+, \d+ back: cart.Pos.Y of entity \{\d+ \d+\} was \d+, is \d+; driven by \{Pull:\d\} \(FreshInput\)`), last.String())
}
