//go:build !js

package websocket_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/transporttest"
	"github.com/entangle-ecs/entangle/transport/websocket"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestConforms(t *testing.T) {
	transporttest.Run(t, func(testing.TB) (transport.Listener, transport.Dialer) {
		return websocket.Listener{Addr: "127.0.0.1:0"}, websocket.Dialer{}
	}, transporttest.Connected, transporttest.KeepsRoom)
}
