package plugin_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/transport/token/tokenhttp"
)

// A player who logs in gets a token over HTTP and can connect with it.
//
// Proves: C17
func TestAPlayerLogsInAndConnects(t *testing.T) {
	g := newGame(t)
	backend := httptest.NewServer(tokenhttp.Handler(tokenhttp.Config{
		Key: g.key, ProtocolID: protocol.ID("plugin test"), Servers: g.server.Addrs(), Clock: g.clock,
		Login: func(r *http.Request) (entangle.ClientID, []byte, error) {
			if r.Header.Get("Authorization") != "open sesame" {
				return 0, nil, errors.New("who are you?")
			}
			return 40, []byte("thief"), nil
		},
	}))
	defer backend.Close()
	_, err := tokenhttp.Fetch(t.Context(), backend.Client(), backend.URL, tokenhttp.Credentials{})
	require.Error(t, err)
	tok, err := tokenhttp.Fetch(t.Context(), backend.Client(), backend.URL,
		tokenhttp.Credentials{Header: http.Header{"Authorization": {"open sesame"}}})
	require.NoError(t, err)

	c, err := plugin.NewClient(plugin.ClientConfig{Protocol: testProtocol(), Clock: g.clock})
	require.NoError(t, err)
	w := ecs.NewWorld()
	c.Initialize(&w)
	require.NoError(t, c.Connect(g.network.Dialer(), tok))
	g.clients = append(g.clients, &player{Client: c, world: &w})
	g.run(30)
	assert.Equal(t, plugin.Connected, c.State())
	assert.EqualValues(t, 40, c.ID())
}
