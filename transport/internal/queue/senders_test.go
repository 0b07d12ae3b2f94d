package queue

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/transport"
)

// An Intake forgets an address that is no longer a client and has no waiting datagram, whichever of
// the two comes last: a server that runs for months has many clients.
func TestAnIntakeForgetsAddressesOfFormerClients(t *testing.T) {
	q := NewIntake(Limits{Strangers: 1, Client: 1, Shared: 1})
	buf := make([]byte, 8)
	addr := func(port int) netip.AddrPort { return netip.AddrPortFrom(netip.IPv6Loopback(), uint16(port)) }
	for port := range 100 {
		q.Admit(addr(port))
		require.True(t, q.Push(addr(port), []byte("read")))
		if port%2 == 0 {
			q.Dismiss(addr(port))
			assert.Len(t, q.senders, 1, "its datagram still waits")
		}
		_, from, err := q.Pop(buf)
		require.NoError(t, err)
		require.Equal(t, addr(port), from)
		_, _, err = q.Pop(buf)
		require.ErrorIs(t, err, transport.ErrEmpty)
		if port%2 == 1 {
			q.Dismiss(addr(port))
		}
		require.Empty(t, q.senders)
	}
}
