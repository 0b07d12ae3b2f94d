package plugin_test

import (
	"testing"
	"time"

	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/transport/conditioner"
)

// A game may show its statistics in every frame: that allocates nothing in a settled game.
//
// Proves: R40
func TestStatsAllocateNothing(t *testing.T) {
	g := newGame(t)
	for id := range uint32(30) {
		g.spawn(spot{}, name{id})
	}
	c := g.join(1)
	g.run(300)
	h := newHosted(t).play()
	h.run(10)
	var (
		server, host plugin.ServerStats
		client       plugin.ClientStats
	)
	assert.Zero(t, alloctest.Count(100, func() {
		server, client, host = g.server.Stats(), c.Stats(), h.host.Stats()
	}))
	assert.Equal(t, 1, server.Clients)
	assert.Equal(t, 1, host.Clients, "the host's own player")
	assert.Equal(t, 30, client.Entities)
	assert.True(t, client.Clock.Synced)
	assert.Positive(t, client.Link.RTT)
	assert.Equal(t, plugin.Good, client.Link.Quality)
}

// A caller may keep the drops: later ones do not change them.
func TestTheDropsOfACallStay(t *testing.T) {
	g := newGameWith(t, func(c *plugin.ServerConfig) { c.MaxClients = 1 })
	g.join(1)
	g.run(30)
	before := g.server.Stats().Dropped
	g.join(2)
	g.run(30)
	first := g.server.Stats().Dropped
	require.NotEqual(t, before, first)
	kept := append([]plugin.Dropped(nil), first...)
	g.join(3)
	g.run(30)
	assert.NotEqual(t, first, g.server.Stats().Dropped)
	assert.Equal(t, kept, first)
}

// The statistics of a client are of all its connections, except those of its link, and those of a
// server are of all clients that it ever had. On a line with loss, a server sends values again, and
// a client requests nothing.
func TestStatsAreThoseOfABusyLine(t *testing.T) {
	g := newGame(t)
	options := conditioner.Options{
		Receive: conditioner.Config{Latency: 60 * time.Millisecond, Jitter: 5 * time.Millisecond, Loss: 0.2}, Seed: 1, Clock: g.clock,
	}
	over := conditioner.NewDialer(g.network.Dialer(), options)
	c := g.join(9)
	c.Disconnect()
	spawned := g.spawn(spot{}, name{1})
	play := func() plugin.ClientStats {
		g.connectOver(over, c, 9)
		for i := range 400 {
			g.run(1)
			spots := generic.NewMap1[spot](g.world)
			spots.Get(spawned).X = float32(i)
		}
		require.Equal(t, plugin.Connected, c.State())
		return c.Stats()
	}
	first := play()
	assert.Greater(t, first.Replication.Updates, first.Replication.Actions)
	assert.Greater(t, first.Link.RTT, 60*time.Millisecond)
	assert.Greater(t, 60*time.Millisecond, first.Link.Jitter)
	assert.Positive(t, first.Link.Jitter)
	assert.Equal(t, []int{1, 1}, []int{first.GroupsArrived, first.GroupsExpected})
	server := g.server.Stats()
	assert.Positive(t, server.Replication.Resent)
	assert.Positive(t, server.Replication.Encoded)

	c.Disconnect()
	g.run(30)
	ended := c.Stats()
	assert.Equal(t, first.Replication, ended.Replication)
	second := play()
	assert.Greater(t, second.Replication.Actions, first.Replication.Actions)
	assert.Greater(t, second.Replication.Updates, first.Replication.Updates*3/2)
	assert.Greater(t, second.PacketsIn, first.PacketsIn*3/2)
}
