package netsim_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"maps"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/world/apps"
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/transport/conditioner"
	"github.com/entangle-ecs/entangle/transport/token"
)

type bulletin struct{ Words [900]byte }

// slowWorld is a server and clients with a timeout of ten minutes.
type slowWorld struct {
	t      *testing.T
	sim    *netsim.Sim
	server *plugin.Server
	key    token.Key
	all    []ecs.Entity
	still  bool                        // nothing changes any more
	ended  []plugin.ClientDisconnected // the disconnections that the server has reported
}

func slowProtocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "slow", TickRate: 50})
	protocol.Component[Spot](p)
	protocol.Component[Flag](p)
	protocol.Message[bulletin](p).Direction(protocol.ServerToClient)
	return p
}

// newSlowWorld makes a world in which some of many entities move in every tick, and gain and lose a
// component. With fates, some are also despawned and others spawned.
func newSlowWorld(t *testing.T, entities int, fates bool) *slowWorld {
	s := &slowWorld{t: t, sim: netsim.New(t, netsim.Config{Seed: 3, Link: latency(40 * ms)})}
	config := s.sim.ServerConfig(slowProtocol())
	s.key = config.Key
	server := newServer(t, config)
	s.server = server
	server.AddSystem(plugin.AfterSend, plugin.Func(func(w *ecs.World) func() {
		ended := plugin.NewReader[plugin.ClientDisconnected](w)
		return func() { s.ended = append(s.ended, ended.Read()...) }
	}))
	server.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
		m := generic.NewMap2[Spot, components.Replicate](w)
		flags := generic.NewMap1[Flag](w)
		has := generic.NewMap[Flag](w)
		for range entities {
			s.all = append(s.all, m.New())
		}
		tick := 0
		return func() {
			if s.still {
				return
			}
			tick++
			for i := range s.all {
				if (i+tick)%3 == 0 {
					spot, _ := m.Get(s.all[i])
					spot.X++
				}
			}
			switch e := &s.all[tick%entities]; {
			case fates:
				w.RemoveEntity(*e)
				*e = m.New()
			case has.Has(*e):
				flags.Remove(*e)
			default:
				flags.Add(*e)
			}
		}
	}))
	s.sim.AddServer(server, server)
	s.sim.Run(1100 * ms) // tokens are valid only from the next second on
	return s
}

// join adds a client with a timeout of ten minutes.
func (s *slowWorld) join(id entangle.ClientID) *netsim.Peer {
	c := newClient(s.t, s.sim.ClientConfig(slowProtocol()))
	p := s.sim.AddClient(id, c, c)
	c.Disconnect()
	t, err := plugin.MintToken(s.key, "slow", token.Claims{
		ClientID: id, Servers: s.server.Addrs(), Now: s.sim.Clock().Now(), Timeout: 10 * time.Minute,
		Entropy: fixedEntropy(id),
	})
	require.NoError(s.t, err)
	require.NoError(s.t, c.Connect(p.Line(), t))
	require.True(s.t, s.sim.RunUntil(10*time.Second, c.Joined))
	return p
}

// fixedEntropy gives a client the same random bytes in every run.
type fixedEntropy byte

func (f fixedEntropy) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(f) + byte(i)
	}
	return len(b), nil
}

// bounded lets time pass, and compares the server's load with its limits.
func (s *slowWorld) bounded(d time.Duration) {
	for ; d > 0; d -= 100 * ms {
		s.sim.Run(100 * ms)
		for _, load := range apps.Of(s.server.World()).Server.Loads() {
			require.NoError(s.t, load.Check())
		}
	}
}

// afflictions are faults of a client that last for some seconds.
var afflictions = map[string]func(*netsim.Peer){
	"it loses 90 %":         func(p *netsim.Peer) { setLoss(p, 0.9, 0.9) },
	"it is silent":          func(p *netsim.Peer) { p.Cut() },
	"it never acknowledges": func(p *netsim.Peer) { setLoss(p, 1, 0) },
	"it hears nothing":      func(p *netsim.Peer) { setLoss(p, 0, 1) },
}

func setLoss(p *netsim.Peer, up, down float64) {
	link := p.Line().Link()
	link.Up.Loss, link.Down.Loss = up, down
	p.SetLink(link)
}

// sentToOthers returns all datagrams that the server sends to two clients during some seconds in
// which a third client has a fault.
func sentToOthers(t *testing.T, afflict func(*netsim.Peer)) (all []string) {
	s := newSlowWorld(t, 60, false)
	others := map[netip.AddrPort]bool{}
	s.sim.Network().Tap(func(from, to netip.AddrPort, _ []byte) { others[from] = others[from] || to == s.server.Addrs()[0] })
	s.join(1)
	s.join(2)
	s.sim.Run(200 * ms)
	received := maps.Clone(others)
	s.sim.Network().Tap(func(from, to netip.AddrPort, datagram []byte) {
		if received[to] && to != s.server.Addrs()[0] {
			all = append(all, fmt.Sprintf("%v: %x", s.sim.Clock().Since(), datagram))
		}
	})
	third := s.join(3)
	afflict(third)
	s.bounded(8 * time.Second)
	return all
}

// A fault of one client changes neither the bytes nor the times of packets to the others: the
// server's tick waits for no client.
//
// Proves: R39, Z10
func TestASlowClientDelaysNobody(t *testing.T) {
	want := sentToOthers(t, func(*netsim.Peer) {})
	require.Greater(t, len(want), 2*8*50)
	for name, afflict := range afflictions {
		t.Run(name, func(t *testing.T) {
			requireSameDatagrams(t, want, sentToOthers(t, afflict), name)
		})
	}
}

// A client that was away for some time, for any reason, without being disconnected, has the present
// world two seconds and four round trips after its return. In the meantime the server kept no more
// for it than its limits allow.
//
// Proves: R39
func TestAReturningClientHasThePresentState(t *testing.T) {
	for name, afflict := range afflictions {
		for _, away := range []time.Duration{5 * time.Second, 30 * time.Second, 300 * time.Second} {
			if away > 30*time.Second && name != "it is silent" {
				continue
			}
			t.Run(fmt.Sprint(name, " for ", away), func(t *testing.T) {
				t.Parallel()
				s := newSlowWorld(t, 30, true)
				s.join(1)
				p := s.join(2)
				afflict(p)
				s.bounded(away)
				p.Restore()
				setLoss(p, 0, 0)
				require.True(t, p.Connected())
				s.bounded(time.Second) // the world keeps changing while the client catches up
				s.still = true
				assert.True(t, s.sim.RunUntil(time.Second+4*80*ms, func() bool { return s.sim.Equal() == nil }))
				require.True(t, p.Connected())
				s.sim.ExpectEqual()
			})
		}
	}
}

// A server that keeps sending to a client that acknowledges nothing keeps up to 1 MiB for it, and
// then disconnects it. The other clients receive every message.
//
// Proves: R39, Z10
func TestAClientThatAcknowledgesNothingIsDisconnectedAtOneMebibyte(t *testing.T) {
	for name, afflict := range afflictions {
		if name == "it loses 90 %" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			s := newSlowWorld(t, 10, false)
			first, second := s.join(1), s.join(2)
			received := plugin.NewReader[plugin.MessageReceived[bulletin]](first.World())
			send := plugin.NewSender[bulletin](s.sim.World())
			afflict(second)
			sent, got, most := 0, 0, 0
			for len(s.server.Clients()) == 2 && sent < 4000 {
				require.NoError(t, send.Send(components.Everyone, bulletin{}))
				sent++
				s.bounded(100 * ms)
				got += len(received.Read())
				for _, load := range apps.Of(s.server.World()).Server.Loads() {
					most = max(most, load.Queued)
				}
			}
			require.Len(t, s.server.Clients(), 1)
			assert.Greater(t, most, 1<<20-4000)
			require.Len(t, s.ended, 1)
			assert.ErrorIs(t, s.ended[0].Err, plugin.ErrTooSlow)
			s.sim.Run(time.Second)
			got += len(received.Read())
			assert.Equal(t, sent, got)
			assert.True(t, first.Connected())
		})
	}
}

// Repeated requests of a client that connects over a slow line are not refused, and no refusal is
// logged.
func TestASlowConnectionLogsNoRefusal(t *testing.T) {
	var log bytes.Buffer
	sim := netsim.New(t, netsim.Config{Seed: 3, Link: netsim.Symmetric(conditioner.Config{Latency: 300 * ms, Duplicate: 0.2})})
	config := sim.ServerConfig(slowProtocol())
	config.Log = slog.New(slog.NewTextHandler(&log, nil))
	server := serve(t, sim, config)
	for id := range entangle.ClientID(3) {
		joinWith(t, sim, id+1, slowProtocol())
	}
	sim.Run(10 * time.Second)
	sim.ExpectEqual()
	assert.NotContains(t, log.String(), "refused")
	assert.True(t, slices.ContainsFunc(server.Stats().Dropped, func(d plugin.Dropped) bool { return d.Reason == "repeated handshake" }),
		"nothing came late, so nothing was tried: %v", server.Stats().Dropped)
}
