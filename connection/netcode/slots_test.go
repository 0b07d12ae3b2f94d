package netcode_test

import (
	"crypto/rand"
	"errors"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/connection/netcode"
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/memory"
	"github.com/entangle-ecs/entangle/transport/token"
)

// stand is a server with one slot over two networks, on a virtual clock.
type stand struct {
	t      testing.TB
	now    time.Time
	key    token.Key
	server connection.Server
	ways   [2]*memory.Network
	addrs  [2]netip.AddrPort
}

func newStand(t testing.TB) *stand {
	s := &stand{t: t, now: time.Unix(1_000_000, 0), key: token.NewKey()}
	var over []transport.Listener
	for i := range s.ways {
		s.ways[i] = memory.NewNetwork()
		l := s.ways[i].Listener()
		s.addrs[i], over = l.Addr(), append(over, l)
	}
	var err error
	s.server, err = netcode.Listener{Over: over, Key: s.key}.Listen(connection.ServerConfig{
		Game: "stand", ProtocolID: 1, MaxClients: 1, Entropy: rand.Reader, Now: s.now,
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.server.Close("", s.now)) })
	s.now = s.now.Add(2 * time.Second)
	return s
}

func (s *stand) dial(way int, id entangle.ClientID) connection.Client {
	minted, err := token.Mint(s.key, token.Claims{ProtocolID: 1, Servers: s.addrs[way : way+1], ClientID: id, Now: s.now})
	require.NoError(s.t, err)
	c, err := netcode.Dialer{Over: s.ways[way].Dialer(), Token: minted}.Dial(connection.ClientConfig{ProtocolID: 1, Entropy: rand.Reader, Now: s.now})
	require.NoError(s.t, err)
	return c
}

// step lets a client receive and send, and returns its events.
func (s *stand) step(c connection.Client) (events []connection.Event) {
	s.now = s.now.Add(time.Second / 10)
	for {
		e, err := c.Receive(s.now)
		if errors.Is(err, connection.ErrEmpty) {
			break
		}
		require.NoError(s.t, err)
		e.Payload = append([]byte(nil), e.Payload...)
		events = append(events, e)
	}
	require.NoError(s.t, c.Flush())
	return events
}

// serve returns the server's next event, or an empty one.
func (s *stand) serve() connection.Event {
	e, err := s.server.Receive(s.now)
	if !errors.Is(err, connection.ErrEmpty) {
		require.NoError(s.t, err)
	}
	return e
}

// If a slot is reused in the frame in which it became free, queued payloads still reach its
// former client, over the network of that client.
func TestQueuedPayloadsOutliveTheSlot(t *testing.T) {
	s := newStand(t)
	first, second := s.dial(0, 1), s.dial(1, 2)
	s.step(first)
	s.step(second)
	require.Zero(t, s.serve().Kind) // both clients are challenged
	require.NoError(t, s.server.Flush())
	s.step(first)
	require.Equal(t, connection.Event{Kind: connection.Connected, Client: 1}, onlyWho(s.serve()))
	require.NoError(t, s.server.Flush())
	require.Equal(t, connection.Connected, s.step(first)[0].Kind)
	s.server.Send(0, []byte("last words"), s.now)
	s.server.Disconnect(0, "", s.now)
	s.server.Send(0, []byte("to nobody"), s.now)
	s.step(second)
	require.Equal(t, connection.Event{Kind: connection.Connected, Client: 2}, onlyWho(s.serve()))
	require.NoError(t, s.server.Flush())
	events := s.step(first)
	require.Len(t, events, 1)
	assert.Equal(t, "last words", string(events[0].Payload))
	events = s.step(first) // GoodbyeWait has passed
	require.Len(t, events, 1)
	assert.Equal(t, connection.Disconnected, events[0].Kind)
}

func onlyWho(e connection.Event) connection.Event {
	return connection.Event{Kind: e.Kind, Slot: e.Slot, Client: e.Client}
}
