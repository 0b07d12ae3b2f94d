package connection_test

import (
	"testing"

	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/connection/connectiontest"
)

// The layer of the example uses nothing but the public interface, and keeps all rules of package
// connection.
func TestOwnLayerConforms(t *testing.T) {
	connectiontest.Run(t, func(testing.TB) connectiontest.Layer {
		p := &platform{}
		return connectiontest.Layer{
			Listener: &host{platform: p},
			Dialer: func(g connectiontest.Guest) connection.Dialer {
				return player{platform: p, name: "a player", id: g.Client, data: g.UserData}
			},
		}
	})
}
