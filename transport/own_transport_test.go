package transport_test

import (
	"net/netip"
	"testing"

	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/transporttest"
)

// The transport of the example uses nothing but the public interface, and keeps all of
// its rules.
//
// Proves: P19
func TestOwnTransportConforms(t *testing.T) {
	transporttest.Run(t, func(testing.TB) (transport.Listener, transport.Dialer) {
		p := &pipes{ends: make(map[netip.AddrPort]*pipe)}
		return p, p
	})
}
