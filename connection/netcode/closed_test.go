package netcode_test

import (
	"crypto/rand"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/connection/netcode"
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/token"
)

// closing is a dialer of Conns that close when a test says so, after all datagrams that have
// arrived were read.
type closing struct {
	transport.Dialer
	closed *bool
}

type closingConn struct {
	transport.Conn
	closed *bool
}

func (d closing) Dial(server netip.AddrPort) (transport.Conn, error) {
	c, err := d.Dialer.Dial(server)
	return closingConn{c, d.closed}, err
}

func (c closingConn) Receive(buf []byte) (n int, from netip.AddrPort, err error) {
	if n, from, err = c.Conn.Receive(buf); *c.closed && err != nil {
		err = transport.ErrClosed
	}
	return n, from, err
}

// If the transport closes because the server has left, the connection ends at once and with the
// server's reason. If the transport closes while the server is still there, it ends with an error.
//
// Proves: C6
func TestATransportThatClosesBehindItsServer(t *testing.T) {
	for _, left := range []bool{true, false} {
		s := newStand(t)
		closed := false
		minted, err := token.Mint(s.key, token.Claims{ProtocolID: 1, Servers: s.addrs[:1], ClientID: 1, Now: s.now})
		require.NoError(t, err)
		c, err := netcode.Dialer{Over: closing{s.ways[0].Dialer(), &closed}, Token: minted}.
			Dial(connection.ClientConfig{ProtocolID: 1, Entropy: rand.Reader, Now: s.now})
		require.NoError(t, err)
		for range 3 {
			s.step(c)
			s.serve()
			require.NoError(t, s.server.Flush())
		}
		if left {
			s.server.Send(0, []byte("last words"), s.now)
			s.server.Disconnect(0, "", s.now)
			require.NoError(t, s.server.Flush())
		}
		closed = true
		s.now = s.now.Add(time.Millisecond)
		if left {
			e, err := c.Receive(s.now)
			require.NoError(t, err)
			assert.Equal(t, "last words", string(e.Payload))
			e, err = c.Receive(s.now)
			require.NoError(t, err)
			assert.Equal(t, connection.Disconnected, e.Kind)
			assert.Equal(t, connection.ErrClosed, e.Err)
			continue
		}
		_, err = c.Receive(s.now)
		assert.ErrorIs(t, err, transport.ErrClosed)
	}
}
