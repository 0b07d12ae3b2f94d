package trusted_test

import (
	"testing"

	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/connection/connectiontest"
	"github.com/entangle-ecs/entangle/connection/trusted"
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/memory"
	"github.com/entangle-ecs/entangle/transport/udp"
	"github.com/entangle-ecs/entangle/transport/websocket"
)

func layer(listener transport.Listener, dialer transport.Dialer) connectiontest.Layer {
	return connectiontest.Layer{
		Listener: trusted.Listener{Over: listener},
		Dialer: func(g connectiontest.Guest) connection.Dialer {
			return trusted.Dialer{Over: dialer, Server: g.Servers[0], Client: g.Client, UserData: g.UserData}
		},
	}
}

func TestConforms(t *testing.T) {
	t.Run("memory", func(t *testing.T) {
		connectiontest.Run(t, func(testing.TB) connectiontest.Layer {
			n := memory.NewNetwork()
			return layer(n.Listener(), n.Dialer())
		})
	})
	t.Run("udp", func(t *testing.T) {
		connectiontest.Run(t, func(testing.TB) connectiontest.Layer {
			return layer(udp.Listener{Addr: "127.0.0.1:0"}, udp.Dialer{})
		})
	})
	t.Run("websocket", func(t *testing.T) {
		connectiontest.Run(t, func(testing.TB) connectiontest.Layer {
			return layer(websocket.Listener{Addr: "127.0.0.1:0"}, websocket.Dialer{})
		})
	})
}
