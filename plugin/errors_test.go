package plugin_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/connection/trusted"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/transport/token"
)

// both is a server with one connected client, and the causes that each side got when the connection
// ended.
type both struct {
	*game
	client   *player
	atServer doorbell
	atClient doorbell
}

func newBoth(t *testing.T) *both {
	b := &both{}
	b.game = newGame(t, func(s *plugin.Server) { s.AddSystem(plugin.AfterReceive, b.atServer.system()) })
	b.client = b.join(1, func(c *plugin.Client) { c.AddSystem(plugin.AfterReceive, b.atClient.system()) })
	b.run(30)
	require.Equal(t, plugin.Connected, b.client.State(), b.client.Err())
	assert.NoError(t, b.client.Err())
	return b
}

// On both sides, a program can find out by errors.Is why a connection has ended, and a player can
// read why.
//
// Proves: C6
func TestBothSidesKnowTheCauseOfADisconnect(t *testing.T) {
	for text, c := range map[string]struct {
		end   func(b *both)
		cause error
	}{
		"the client left":                           {func(b *both) { b.client.Disconnect() }, plugin.ErrLeft},
		"no cheating":                               {func(b *both) { b.server.Disconnect(1, "no cheating") }, plugin.ErrKicked},
		"the server disconnected the client":        {func(b *both) { b.server.Disconnect(1, "") }, plugin.ErrKicked},
		"the server stopped":                        {func(b *both) { require.NoError(b.t, b.server.Stop()) }, plugin.ErrServerStopped},
		"timed out: no packets from the other side": {func(b *both) { b.now = b.now.Add(time.Minute); b.client.Step(b.now) }, plugin.ErrTimedOut},
	} {
		b := newBoth(t)
		c.end(b)
		b.run(30)
		require.Len(t, b.atClient.went, 1, text)
		require.Len(t, b.atServer.went, 1, text)
		for side, err := range map[string]error{
			"the client's event": b.atClient.went[0].Err, "the server's event": b.atServer.went[0].Err, "Client.Err": b.client.Err(),
		} {
			assert.ErrorIs(t, err, c.cause, side)
			assert.EqualError(t, err, text, side)
		}
	}
}

// An attempt to connect fails with its cause.
//
// Proves: C2
func TestAClientKnowsWhyItIsNotAdmitted(t *testing.T) {
	failed := func(g *game, c *player, cause error) {
		t.Helper()
		g.run(60)
		assert.Equal(t, plugin.Disconnected, c.State())
		assert.ErrorIs(t, c.Err(), cause)
	}
	g := newGameWith(t, func(c *plugin.ServerConfig) { c.MaxClients = 1 })
	other := testProtocol()
	protocol.Component[gauge](other)
	failed(g, g.joinWith(other, 1), plugin.ErrProtocolMismatch)
	g.join(2)
	g.run(30)
	failed(g, g.join(3), plugin.ErrServerFull)

	g = newGame(t)
	late := g.join(4)
	late.Disconnect()
	tok, err := plugin.MintToken(g.key, "plugin test", token.Claims{ClientID: 4, Servers: g.server.Addrs(), Now: g.now, Life: time.Second})
	require.NoError(t, err)
	require.NoError(t, g.server.Stop())
	require.NoError(t, late.Connect(g.network.Dialer(), tok))
	g.run(120)
	assert.ErrorIs(t, late.Err(), plugin.ErrTokenExpired)
	g.connect(late, 4)
	g.run(20 * 60)
	assert.ErrorIs(t, late.Err(), plugin.ErrNoAnswer)

	place := g.network.Listener()
	require.NoError(t, g.server.StartWith(trusted.Listener{Over: place}))
	dial := func() *player {
		c := g.join(5)
		c.Disconnect()
		require.NoError(t, c.ConnectWith(trusted.Dialer{Over: g.network.Dialer(), Server: place.Addr(), Client: 5}))
		return c
	}
	dial()
	g.run(30)
	failed(g, dial(), plugin.ErrAlreadyConnected)
}

// ending is a client's connection layer that fails, or reports an end.
type ending struct {
	connection.Client
	event, fails error
}

func (e ending) Dial(connection.ClientConfig) (connection.Client, error) { return e, nil }

func (e ending) Receive(time.Time) (connection.Event, error) {
	return connection.Event{Kind: connection.Disconnected, Err: e.event}, e.fails
}

func (ending) Close(string, time.Time) error                                  { return nil }
func (ending) Traffic() connection.Traffic                                    { return connection.Traffic{} }
func (ending) AppendDropped(counts []connection.Dropped) []connection.Dropped { return counts }

// A program gets what a connection layer reports: errors of package connection, errors of the
// layer's own, and the server's reason if the layer carries it as text.
//
// Proves: C19
func TestTheErrorOfALayerReachesTheProgram(t *testing.T) {
	own := errors.New("the store is closed")
	for _, l := range []struct {
		layer ending
		cause error
	}{
		{ending{event: connection.ErrClosed}, plugin.ErrClosed},
		{ending{event: connection.ErrTimedOut}, plugin.ErrTimedOut},
		{ending{event: own}, own},
		{ending{event: connection.Goodbye("the server stopped")}, plugin.ErrServerStopped},
		{ending{event: connection.Goodbye("the server is full")}, plugin.ErrServerFull},
		{ending{event: connection.Goodbye("out")}, plugin.ErrKicked},
		{ending{fails: own}, own},
		{ending{fails: own}, plugin.ErrTransport},
	} {
		g := newGame(t)
		c := g.join(1)
		c.Disconnect()
		require.NoError(t, c.ConnectWith(l.layer))
		g.run(1)
		assert.Equal(t, plugin.Disconnected, c.State())
		assert.ErrorIs(t, c.Err(), l.cause)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		require.NoError(t, c.ConnectWith(l.layer))
		assert.ErrorIs(t, c.Wait(ctx, plugin.Connected), l.cause, "Wait returns it")
		cancel()
	}
}
