package plain

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/connection"
)

const testProtocol = 0x1122334455667788

var home = netip.MustParseAddrPort("10.0.0.1:1000")

// sim is a server and clients; tests pass bytes between them.
type sim struct {
	t      testing.TB
	now    time.Time
	server *Server
	events []connection.Event
}

func newSim(t testing.TB, maxClients int) *sim {
	now := time.Unix(1_000_000, 0)
	return &sim{t: t, now: now, server: NewServer(ServerConfig{
		ProtocolID: testProtocol, MaxClients: maxClients, Secret: [32]byte{1, 2, 3}, Start: now,
	})}
}

func (s *sim) client(id entangle.ClientID, number uint64) *Client {
	return NewClient(ClientConfig{ProtocolID: testProtocol, Client: id, Number: number, UserData: []byte("hi"), Start: s.now})
}

// toServer passes a copy of a datagram to the server and returns a copy of the reply. A
// datagram that ServerFilter refuses must have no effect.
func (s *sim) toServer(from netip.AddrPort, b []byte) (reply []byte) {
	_, connected := s.server.byAddr[from]
	fits, before := ServerFilter(b, connected), s.server.dropped
	e, ok, reply := s.server.HandleDatagram(from, append([]byte(nil), b...), s.now)
	if !fits {
		require.False(s.t, ok || len(reply) > 0, "a refused datagram has no effect")
		require.NotEqual(s.t, before, s.server.dropped, "a refused datagram is dropped as well")
	}
	if ok {
		s.events = append(s.events, e)
	}
	return append([]byte(nil), reply...)
}

// toClient passes a copy of a datagram to a client.
func (s *sim) toClient(c *Client, b []byte) (e connection.Event, reply []byte) {
	e, _, reply = c.HandleDatagram(append([]byte(nil), b...), s.now)
	return e, append([]byte(nil), reply...)
}

// answer runs the handshake up to the client's answer, and returns it.
func (s *sim) answer(c *Client, from netip.AddrPort) []byte {
	challenge := s.toServer(from, c.AppendDue(nil, s.now))
	_, answer := s.toClient(c, challenge)
	return answer
}

// connect runs the whole handshake.
func (s *sim) connect(c *Client, from netip.AddrPort) (slot int) {
	alive := s.toServer(from, s.answer(c, from))
	require.Equal(s.t, connection.Connected, s.events[len(s.events)-1].Kind)
	e, _ := s.toClient(c, alive)
	require.Equal(s.t, connection.Connected, e.Kind)
	return s.events[len(s.events)-1].Slot
}

func (s *sim) count(reason string) uint64 { return countOf(s.t, s.server.AppendDropped(nil), reason) }

func countOf(t testing.TB, dropped []connection.Dropped, reason string) uint64 {
	for _, d := range dropped {
		if d.Reason == reason {
			return d.Count
		}
	}
	t.Fatalf("no reason %q", reason)
	return 0
}
