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
)

// burden is a large input that differs in each tick.
type burden struct {
	Act  entangle.Tick
	Load [15]uint32
}

func burdenProtocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "drive"})
	protocol.Component[components.ControlledBy](p)
	protocol.Input[burden](p).Rebroadcast()
	return p
}

// If the inputs of all players do not fit into a packet, the players take turns, and no more than
// that packet is sent in a tick.
//
// Proves: I6
func TestInputsThatDoNotFitTakeTurns(t *testing.T) {
	const players = 60
	sim := netsim.New(t, netsim.Config{})
	host, err := plugin.NewHost(sim.ServerConfig(burdenProtocol()), 7)
	require.NoError(t, err)
	host.AddSystem(plugin.FixedInput, plugin.Func(func(w *ecs.World) func() {
		own := generic.NewFilter2[burden, components.Controlled]()
		now := ecs.GetResource[components.Time](w)
		return func() {
			for q := own.Query(w); q.Next(); {
				in, _ := q.Get()
				in.Act, in.Load[now.Tick%15] = now.Tick, uint32(now.Tick)*2654435761
			}
		}
	}))
	sim.AddHost(host, host)
	m := generic.NewMap3[burden, components.ControlledBy, components.Replicate](sim.World())
	for range players {
		m.NewWith(&burden{}, &components.ControlledBy{Client: 7}, &components.Replicate{})
	}
	fresh, newest := map[ecs.Entity]int{}, map[ecs.Entity]entangle.Tick{}
	config := sim.ClientConfig(burdenProtocol())
	config.InputDelay.Min = 20
	client := newClient(t, config)
	client.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
		all, inputs := generic.NewFilter1[burden](), plugin.NewInputs[burden](w)
		return func() {
			for q := all.Query(w); q.Next(); {
				newest[q.Entity()] = q.Get().Act
				if inputs.Status(q.Entity()) == plugin.FreshInput {
					fresh[q.Entity()]++
				}
			}
		}
	}))
	sim.AddClient(1, client, client)
	sim.Run(8 * time.Second)
	clear(fresh)
	before := client.Stats()
	sim.Run(10 * time.Second)
	after := client.Stats()

	require.Len(t, fresh, players)
	total := 0
	for e, n := range fresh {
		total += n
		assert.Less(t, client.Tick().Sub(newest[e]), int32(30))
	}
	for _, n := range fresh {
		assert.InDelta(t, total/players, n, float64(total/players)/4)
	}
	assert.LessOrEqual(t, after.BytesIn-before.BytesIn, uint64(600*1200))
	assert.Greater(t, after.BytesIn-before.BytesIn, uint64(500*900))
}
