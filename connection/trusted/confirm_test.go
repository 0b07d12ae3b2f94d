package trusted_test

import (
	"crypto/rand"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/connection/trusted"
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/memory"
)

// lossy is a listener with a Conn that loses every sent datagram while the flag is set.
type lossy struct {
	transport.Listener
	transport.Conn
	loses bool
}

func (l *lossy) Listen() (conn transport.Conn, err error) {
	l.Conn, err = l.Listener.Listen()
	return l, err
}

func (l *lossy) Local() bool { return true }

func (l *lossy) Send(batch []transport.Datagram) (int, error) {
	if l.loses {
		return len(batch), nil
	}
	return l.Conn.Send(batch)
}

// The packet that tells a client that it is connected may be lost: the server sends another one
// before each payload.
func TestAPayloadConfirmsItsConnection(t *testing.T) {
	network, now := memory.NewNetwork(), time.Unix(1_000_000, 0)
	here := network.Listener()
	line := &lossy{Listener: here}
	s, err := trusted.Listener{Over: line}.Listen(connection.ServerConfig{ProtocolID: 1, MaxClients: 2, Entropy: rand.Reader, Now: now})
	require.NoError(t, err)
	c, err := trusted.Dialer{Over: network.Dialer(), Server: here.Addr(), Client: 7}.Dial(
		connection.ClientConfig{ProtocolID: 1, Entropy: rand.Reader, Now: now})
	require.NoError(t, err)
	turn := func() (server, client []connection.Kind) {
		for e, err := s.Receive(now); err == nil; e, err = s.Receive(now) {
			server = append(server, e.Kind)
		}
		require.NoError(t, s.Flush())
		for e, err := c.Receive(now); err == nil; e, err = c.Receive(now) {
			client = append(client, e.Kind)
		}
		require.NoError(t, c.Flush())
		return server, client
	}
	require.NoError(t, c.Flush())
	turn() // the client's hello and the server's challenge
	line.loses = true
	server, client := turn()
	assert.Equal(t, []connection.Kind{connection.Connected}, server)
	assert.Empty(t, client)
	before, over := s.Sent(0), s.Overhead(0)
	line.loses = false
	s.Send(0, []byte("hello"), now)
	assert.EqualValues(t, len("hello")+over, s.Sent(0)-before)
	_, client = turn()
	assert.Equal(t, []connection.Kind{connection.Connected, connection.Payload}, client)
	c.Send([]byte("hello"), now)
	require.NoError(t, c.Flush())
	turn()
	assert.Less(t, s.Overhead(0), over, "it has confirmed")
	require.NoError(t, c.Close("", now))
	require.NoError(t, s.Close("", now))
}
