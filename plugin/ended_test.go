package plugin_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/transport/token"
)

// A program can read its statistics after Run has returned: the state of the last connection is
// kept until the next one begins.
func TestTheLastConnectionIsToldOfUntilTheNext(t *testing.T) {
	p := newParty(t)
	c := p.clients[0]
	require.NoError(t, p.guests[0].send.Send(components.Server, chat{Text: "hello"}))
	p.run(60)
	require.Equal(t, plugin.Connected, c.State())
	stats, link, inputs := c.Stats(), c.Stats().Link, c.Stats().Clock.Inputs
	require.Positive(t, link.RTT)
	assert.Positive(t, link.Tick)
	assert.Equal(t, uint64(1), stats.Messages.Sent)

	c.Finalize(c.world) // as at the end of Run
	assert.Equal(t, plugin.Disconnected, c.State())
	assert.Equal(t, entangle.ClientID(1), c.ID())
	link.Quality = plugin.Unknown
	assert.Equal(t, link, c.Stats().Link)
	assert.Equal(t, inputs, c.Stats().Clock.Inputs)
	after := c.Stats()
	assert.Equal(t, stats.Messages, after.Messages)
	assert.Equal(t, stats.PacketsIn, after.PacketsIn)
	assert.GreaterOrEqual(t, after.PacketsOut, stats.PacketsOut, "it said goodbye")

	p.clients = p.clients[1:]
	other := p.clients[0]
	other.Disconnect()
	assert.Equal(t, entangle.ClientID(2), other.ID())
	p.run(5)
	p.connect(other, 2)
	assert.Equal(t, entangle.Nobody, other.ID(), "on its way")
	assert.Zero(t, other.Stats().Link)
	p.run(30)
	assert.Equal(t, entangle.ClientID(2), other.ID())
}

func TestAHostsPlayerHasItsIDUntilItConnectsAgain(t *testing.T) {
	h := newHosted(t)
	assert.Equal(t, entangle.Nobody, h.host.Player().ID())
	h.play()
	assert.Equal(t, entangle.ClientID(me), h.host.Player().ID())
	h.host.Player().Disconnect()
	assert.Equal(t, entangle.ClientID(me), h.host.Player().ID())
	require.NoError(t, h.host.Player().Connect(nil))
	assert.Equal(t, entangle.Nobody, h.host.Player().ID(), "on its way")
	h.run(3)
	assert.Equal(t, entangle.ClientID(me), h.host.Player().ID())
}

// A stopped server still reports its dropped packets.
func TestAStoppedServerTellsWhatItDropped(t *testing.T) {
	g := newGame(t)
	c := g.join(1)
	c.Disconnect()
	wrong, err := plugin.MintToken(token.NewKey(), "plugin test", token.Claims{ClientID: 2, Servers: g.server.Addrs(), Now: g.now})
	require.NoError(t, err)
	require.NoError(t, c.Connect(g.network.Dialer(), wrong))
	g.run(30)
	before := g.server.Stats()
	require.NotEmpty(t, before.Dropped)
	require.NoError(t, g.server.Stop())
	assert.Equal(t, before.Dropped, g.server.Stats().Dropped)
	assert.Equal(t, before.PacketsIn, g.server.Stats().PacketsIn)
	g.place = g.network.Listener()
	require.NoError(t, g.server.Start(g.place))
	assert.Empty(t, g.server.Stats().Dropped, "it begins anew")
}
