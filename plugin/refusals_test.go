package plugin_test

import (
	"bytes"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/transport/token"
)

// The session does not answer a refused request, so the server's log has to tell why a client
// cannot connect: once per reason, however often the client tries, and not again when the attempts
// stop.
//
// Proves: C2
func TestAnOperatorReadsWhyAClientIsRefused(t *testing.T) {
	var log bytes.Buffer
	g := newGameWith(t, func(c *plugin.ServerConfig) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	c := g.join(1)
	g.run(10)
	require.Equal(t, plugin.Connected, c.State())
	c.Disconnect()
	g.run(10)
	wrong, err := plugin.MintToken(token.NewKey(), "plugin test", token.Claims{ClientID: entangle.ClientID(2), Servers: g.server.Addrs(), Now: g.now})
	require.NoError(t, err)
	require.NoError(t, c.Connect(g.network.Dialer(), wrong))
	g.run(4 * 60)
	assert.Equal(t, plugin.Connecting, c.State())
	assert.Equal(t, 1, bytes.Count(log.Bytes(), []byte("requests to connect were refused")), log.String())
	assert.Contains(t, log.String(), "token sealed with another key")
	assert.Contains(t, log.String(), "ServerConfig.Key")

	c.Disconnect()
	g.run(15 * 60)
	log.Reset()
	g.run(30 * 60)
	assert.NotContains(t, log.String(), "requests to connect were refused")
}

// A client with a wrong token gets no answer from the server, so its own error has to say what to
// check. The client itself can detect that a token was made by DevToken.
//
// Proves: C2
func TestAClientReadsWhatToCheckAboutItsToken(t *testing.T) {
	var log bytes.Buffer
	g := newGameWith(t, func(c *plugin.ServerConfig) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	c := g.join(1)
	c.Disconnect()
	g.run(10)
	dev, err := c.DevToken(g.server.Addrs()[0], 1)
	require.NoError(t, err)
	require.NoError(t, c.Connect(g.network.Dialer(), dev))
	g.run(10 * 60)
	assert.Equal(t, plugin.Disconnected, c.State())
	assert.ErrorContains(t, c.Err(), "this token is of Client.DevToken, which only servers without a key admit")
	assert.Contains(t, log.String(), "token sealed with another key")

	other, err := plugin.MintToken(token.NewKey(), "plugin test", token.Claims{ClientID: 1, Servers: g.server.Addrs(), Now: g.now})
	require.NoError(t, err)
	require.NoError(t, c.Connect(g.network.Dialer(), other))
	g.run(10 * 60)
	assert.Equal(t, plugin.Disconnected, c.State())
	assert.ErrorContains(t, c.Err(), "sealed with another key than the server's")
}

// This is the reverse case: a token made with some key, and a server without a key.
//
// Proves: C2
func TestAServerWithoutAKeySaysThatItHasNone(t *testing.T) {
	var log bytes.Buffer
	g := newGameWith(t, func(c *plugin.ServerConfig) { c.Key, c.Log = token.Key{}, slog.New(slog.NewTextHandler(&log, nil)) })
	g.join(1)
	g.run(120)
	assert.Contains(t, log.String(), "this server has no key")
}
