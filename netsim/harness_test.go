package netsim_test

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/transport/conditioner"
)

// ms is the unit of the times of lines and frames.
const ms = time.Millisecond

// The components of small tests: plain values, a reference, and one without a value.
type (
	Spot   struct{ X, Y int8 }
	Health struct{ Points uint8 }
	Aim    struct{ At ecs.Entity }
	Flag   struct{}
)

func spotProtocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "spot", TickRate: 50})
	protocol.Component[Spot](p)
	protocol.Component[Health](p)
	protocol.Component[Aim](p)
	protocol.Component[Flag](p)
	protocol.Component[components.ChildOf](p)
	return p
}

// newServer makes a server of a config, which must be valid.
func newServer(t require.TestingT, config plugin.ServerConfig) *plugin.Server {
	server, err := plugin.NewServer(config)
	require.NoError(t, err)
	return server
}

// newClient makes a client of a config, which must be valid.
func newClient(t require.TestingT, config plugin.ClientConfig) *plugin.Client {
	client, err := plugin.NewClient(config)
	require.NoError(t, err)
	return client
}

// serve adds a server of a config, with systems in FixedMain, to a simulation.
func serve(t require.TestingT, sim *netsim.Sim, config plugin.ServerConfig, systems ...plugin.System) *plugin.Server {
	server := newServer(t, config)
	for _, system := range systems {
		server.AddSystem(plugin.FixedMain, system)
	}
	sim.AddServer(server, server)
	return server
}

// newSim makes a simulation with a server of spotProtocol.
func newSim(t *testing.T, config netsim.Config, systems ...func(*plugin.Server)) *netsim.Sim {
	sim := netsim.New(t, config)
	server := newServer(t, sim.ServerConfig(spotProtocol()))
	for _, add := range systems {
		add(server)
	}
	sim.AddServer(server, server)
	return sim
}

// join adds a client of spotProtocol.
func join(t require.TestingT, sim *netsim.Sim, id entangle.ClientID) *netsim.Peer {
	return joinWith(t, sim, id, spotProtocol())
}

// joinWith adds a client of a protocol.
func joinWith(t require.TestingT, sim *netsim.Sim, id entangle.ClientID, p *protocol.Protocol) *netsim.Peer {
	c := newClient(t, sim.ClientConfig(p))
	return sim.AddClient(id, c, c)
}

func spawnSpot(sim *netsim.Sim, s Spot) ecs.Entity {
	m := generic.NewMap2[Spot, components.Replicate](sim.World())
	return m.NewWith(&s, &components.Replicate{})
}

func spotOf(w *ecs.World, e ecs.Entity) *Spot {
	m := generic.NewMap1[Spot](w)
	return m.Get(e)
}

// latency returns a link with a latency in both directions.
func latency(d time.Duration) netsim.Link {
	return netsim.Symmetric(conditioner.Config{Latency: d})
}

// rough returns a link with latency, jitter and loss in both directions.
func rough(latency, jitter time.Duration, loss float64) netsim.Link {
	return netsim.Symmetric(conditioner.Config{Latency: latency, Jitter: jitter, Loss: loss})
}

// datagramLog holds the datagrams of a simulation, each with its time, sender and receiver.
type datagramLog struct {
	all []string
	of  map[netip.AddrPort][]string // by sender and by receiver
}

// recordDatagrams records the datagrams that are sent from now on.
func recordDatagrams(sim *netsim.Sim) *datagramLog {
	log := &datagramLog{of: map[netip.AddrPort][]string{}}
	sim.Network().Tap(func(from, to netip.AddrPort, datagram []byte) {
		line := fmt.Sprintf("%v %v to %v: %x", sim.Clock().Since(), from, to, datagram)
		log.all, log.of[from], log.of[to] = append(log.all, line), append(log.of[from], line), append(log.of[to], line)
	})
	return log
}

// datagramsOf runs a game for four seconds, and returns all datagrams from and to a client.
func datagramsOf(t *testing.T, sim *netsim.Sim, id entangle.ClientID) (all []string) {
	log := recordDatagrams(sim)
	sim.Run(4 * time.Second)
	for _, c := range sim.Server().Clients() {
		if c.ID == id {
			all = log.of[c.Addr]
		}
	}
	require.NotEmpty(t, all)
	return all
}

// requireSameDatagrams compares two lists of datagrams, of which the first must have some. The
// words of run name the second one.
func requireSameDatagrams(t *testing.T, want, got []string, run ...any) {
	t.Helper()
	require.NotEmpty(t, want)
	for i := range min(len(want), len(got)) {
		if want[i] != got[i] {
			require.Failf(t, "other bytes", "%v datagram %d is\n%s, should be\n%s", run, i, got[i], want[i])
		}
	}
	require.Len(t, got, len(want), run...)
}
