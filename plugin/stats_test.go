package plugin_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/plugin"
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
