package netcode_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/connection/connectiontest"
	"github.com/entangle-ecs/entangle/connection/netcode"
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/memory"
	"github.com/entangle-ecs/entangle/transport/token"
	"github.com/entangle-ecs/entangle/transport/udp"
	"github.com/entangle-ecs/entangle/transport/websocket"
)

func layer(t testing.TB, listener transport.Listener, dialer transport.Dialer) connectiontest.Layer {
	key := token.NewKey()
	return connectiontest.Layer{
		Listener: netcode.Listener{Over: []transport.Listener{listener}, Key: key},
		Dialer: func(g connectiontest.Guest) connection.Dialer {
			minted, err := token.Mint(key, token.Claims{
				ProtocolID: g.ProtocolID, Servers: g.Servers, ClientID: g.Client, UserData: g.UserData, Now: g.Now,
			})
			require.NoError(t, err)
			return netcode.Dialer{Over: dialer, Token: minted}
		},
	}
}

func TestConforms(t *testing.T) {
	t.Run("memory", func(t *testing.T) {
		connectiontest.Run(t, func(t testing.TB) connectiontest.Layer {
			n := memory.NewNetwork()
			return layer(t, n.Listener(), n.Dialer())
		})
	})
	t.Run("udp", func(t *testing.T) {
		connectiontest.Run(t, func(t testing.TB) connectiontest.Layer {
			return layer(t, udp.Listener{Addr: "127.0.0.1:0"}, udp.Dialer{})
		})
	})
	t.Run("websocket", func(t *testing.T) {
		connectiontest.Run(t, func(t testing.TB) connectiontest.Layer {
			return layer(t, websocket.Listener{Addr: "127.0.0.1:0"}, websocket.Dialer{})
		})
	})
}
