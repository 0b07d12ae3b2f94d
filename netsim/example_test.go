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
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/transport/conditioner"
)

// This is a whole game: balloons rise on the server.

type balloon struct{ Height float32 }

func balloonProtocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "balloons"})
	protocol.Component[balloon](p)
	return p
}

func newBalloonServer(config plugin.ServerConfig) (*plugin.Server, error) {
	server, err := plugin.NewServer(config)
	if err != nil {
		return nil, err
	}
	server.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
		spawn := generic.NewMap2[balloon, components.Replicate](w)
		spawn.NewWith(&balloon{}, &components.Replicate{})
		filter := generic.NewFilter1[balloon]()
		return func() {
			for q := filter.Query(w); q.Next(); {
				q.Get().Height = min(q.Get().Height+0.5, 100)
			}
		}
	}))
	return server, nil
}

// This is its test, on a line that loses every fifth datagram.
func TestBalloonsRiseEverywhere(t *testing.T) {
	bad := conditioner.Config{Latency: 80 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: 0.2}
	sim := netsim.New(t, netsim.Config{Link: netsim.Symmetric(bad)})
	server, err := newBalloonServer(sim.ServerConfig(balloonProtocol()))
	require.NoError(t, err)
	sim.AddServer(server, server)

	client, err := plugin.NewClient(sim.ClientConfig(balloonProtocol()))
	require.NoError(t, err)
	peer := sim.AddClient(1, client, client)
	require.True(t, sim.RunUntil(5*time.Second, peer.Connected))
	sim.Run(10 * time.Second)
	sim.ExpectEqual()

	filter := generic.NewFilter1[balloon]()
	q := filter.Query(peer.World())
	require.True(t, q.Next())
	assert.EqualValues(t, 100, q.Get().Height)
	q.Close()
}
