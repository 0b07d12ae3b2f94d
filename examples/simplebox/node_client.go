package main

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"time"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/transport/token"
	"github.com/entangle-ecs/entangle/transport/udp"
)

// clientSide is a client as a node.
type clientSide struct {
	*clientGame
	line      *line
	connected error // result of Connect
}

// newClientSide returns a client that connects as soon as it is run.
func newClientSide(s *settings) (*clientSide, error) {
	server, err := s.address()
	if err != nil {
		return nil, err
	}
	game, err := newClientGame(plugin.ClientConfig{Protocol: newProtocol()})
	if err != nil {
		return nil, err
	}
	id := entangle.ClientID(s.ID)
	if id == entangle.Nobody {
		id = entangle.ClientID(rand.Uint64() | 1)
	}
	ticket, err := s.ticket(game.Client, reachable(server), id)
	if err != nil {
		return nil, err
	}
	c := &clientSide{
		clientGame: game,
		line:       &line{inner: udp.Dialer{}, quality: s.quality, seed: s.Seed + uint64(id)},
	}
	game.AddSystem(plugin.AfterReceive, plugin.Func(func(*ecs.World) func() {
		c.connected = game.Connect(c.line, ticket)
		return nil
	}))
	return c, nil
}

// ticket mints the token with which the client connects. In a game with accounts a backend that has
// the key does this. Here the client has the key, which is acceptable only on a LAN among friends:
// anyone who has it can use any id.
func (s *settings) ticket(client *plugin.Client, server netip.AddrPort, id entangle.ClientID) (token.Token, error) {
	key, err := s.Secret()
	if err != nil {
		return token.Token{}, err
	}
	if key.IsZero() {
		return client.DevToken(server, id)
	}
	return plugin.MintToken(key, newProtocol().Name(), token.Claims{
		ClientID: id,
		Servers:  []netip.AddrPort{server},
		Now:      token.NextSecond(time.Now()),
	})
}

// reachable returns the address at which a client on the same machine reaches a server that listens
// at all addresses.
func reachable(addr netip.AddrPort) netip.AddrPort {
	switch {
	case !addr.Addr().IsUnspecified():
		return addr
	case addr.Addr().Is4():
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), addr.Port())
	default:
		return netip.AddrPortFrom(netip.IPv6Loopback(), addr.Port())
	}
}

func (c *clientSide) obey(o order) error {
	if o.Steer != nil {
		c.helm.manual, c.helm.heading = true, *o.Steer
	}
	if o.Bot {
		c.helm.manual = false
	}
	if o.Line != nil {
		return c.line.change(*o.Line)
	}
	return nil
}

func (c *clientSide) describe(r *report) {
	r.State, r.Tick = c.State().String(), c.Tick()
	stats := c.Stats()
	own, time := stats.Link, stats.Clock
	r.Clock = &clock{Synced: time.Synced, Lead: time.Lead, Speed: time.Speed}
	r.Predictions = c.predictions()
	r.Links = []link{{Client: c.ID(), RTT: milliseconds(own.RTT), Loss: own.Loss}}
	r.Sent, r.Received = stats.BytesOut, stats.BytesIn
}

// predictions returns the number of rollbacks, and the reasons of the last ones.
func (c *clientSide) predictions() *predictions {
	stats := c.Stats().Rollbacks
	p := &predictions{Rollbacks: stats.Total(), Replayed: stats.Ticks}
	for _, report := range c.Rollbacks() {
		p.Why = append(p.Why, report.String())
	}
	return p
}

func (c *clientSide) failed() error {
	if c.connected != nil {
		return c.connected
	}
	if c.State() == plugin.Disconnected {
		return fmt.Errorf("the client is disconnected: %w", c.Err())
	}
	return nil
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
