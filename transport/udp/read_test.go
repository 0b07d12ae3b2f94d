package udp

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/transport/internal/queue"
)

// The system keeps strangers out only once the socket is connected; what came
// before is dropped here.
func TestClientDropsStrangers(t *testing.T) {
	server := netip.MustParseAddrPort("[fe80::1%lo]:40000")
	c := &Conn{server: server, arrived: queue.New(4)}
	for _, from := range []string{"[fe80::2%lo]:40000", "[fe80::1%lo]:40001", "127.0.0.1:40000"} {
		c.arrive(netip.MustParseAddrPort(from), []byte("from a stranger"))
	}
	c.arrive(netip.MustParseAddrPort("[fe80::1%1]:40000"), []byte("ok"))
	assert.EqualValues(t, 3, c.Stats().Stranger)
	assert.EqualValues(t, 1, c.Stats().Received)
	_, from, err := c.Receive(make([]byte, 10))
	require.NoError(t, err)
	assert.Equal(t, server, from, "as it was dialed")
}

func TestMappedAddressesBecomePlain(t *testing.T) {
	c := &Conn{arrived: queue.New(4)}
	c.arrive(netip.MustParseAddrPort("[::ffff:192.0.2.1]:7"), []byte("ok"))
	_, from, err := c.Receive(make([]byte, 10))
	require.NoError(t, err)
	assert.Equal(t, netip.MustParseAddrPort("192.0.2.1:7"), from)
}
