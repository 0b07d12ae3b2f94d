package plugin_test

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/connection/trusted"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/conditioner"
	"github.com/entangle-ecs/entangle/transport/token"
)

// payloadLoss dials Conns that lose the session's payload packets, and nothing else, in one
// direction or the other while its flags are set.
type payloadLoss struct {
	transport.Dialer
	send, receive bool
}

type payloadLossConn struct {
	transport.Conn
	loss *payloadLoss
}

func (l *payloadLoss) Dial(server netip.AddrPort) (transport.Conn, error) {
	conn, err := l.Dialer.Dial(server)
	return payloadLossConn{conn, l}, err
}

// isPayload reads the packet's kind, as documented in docs/PROTOCOL.md.
func isPayload(b []byte) bool { return b[0]&15 == 5 }

func (c payloadLossConn) Receive(buf []byte) (n int, from netip.AddrPort, err error) {
	for {
		n, from, err = c.Conn.Receive(buf)
		if err != nil || !c.loss.receive || !isPayload(buf[:n]) {
			return n, from, err
		}
	}
}

func (c payloadLossConn) Send(batch []transport.Datagram) (int, error) {
	var kept []transport.Datagram
	for _, d := range batch {
		if !c.loss.send || !isPayload(d.Data) {
			kept = append(kept, d)
		}
	}
	return c.Conn.Send(kept)
}

func (g *game) connectOver(over transport.Dialer, p *player, id entangle.ClientID) {
	t, err := plugin.MintToken(g.key, "plugin test", token.Claims{ClientID: id, Servers: g.server.Addrs()[:1], Now: g.now})
	require.NoError(g.t, err)
	require.NoError(g.t, p.Connect(over, t))
}

// A client may know before the server that both protocols are equal, if the server's hello was late
// and crossed the client's. If the server stops at that moment, that client receives the reason,
// too.
//
// Proves: C6, C10
func TestAServerThatStopsTellsClientsThatItHasNotOpened(t *testing.T) {
	g := newGame(t)
	c := g.join(9)
	c.Disconnect()
	over := &payloadLoss{Dialer: g.network.Dialer(), receive: true}
	g.connectOver(over, c, 10)
	g.run(10) // the client's hello has arrived
	over.receive = false
	for range 120 {
		if g.run(1); c.State() == plugin.Connected {
			break
		}
	}
	require.Equal(t, plugin.Connected, c.State())
	require.Empty(t, g.server.Clients(), "the server knows of nobody yet")
	require.NoError(t, g.server.Stop())
	g.run(3)
	assert.Equal(t, plugin.Disconnected, c.State())
	assert.EqualError(t, c.Err(), "the server stopped")
}

// On a line with jitter, disconnect packets, which are empty, overtake the reason. The reason
// arrives nevertheless, each time and in both directions.
//
// Proves: C6, C10
func TestTheReasonOfADisconnectArrivesOverJitter(t *testing.T) {
	testReasons(t, conditioner.Config{Latency: 60 * time.Millisecond, Jitter: 50 * time.Millisecond})
}

// A reason is never requested again. It is sent so often that it arrives, each time and in both
// directions, at 30 % packet loss.
//
// Proves: C6, C10
func TestTheReasonOfADisconnectArrivesOverALossyLine(t *testing.T) {
	testReasons(t, conditioner.Config{Latency: 60 * time.Millisecond, Loss: 0.3})
}

// testReasons ends 300 connections over a line: clients are kicked, the server stops, and clients
// leave.
func testReasons(t *testing.T, line conditioner.Config) {
	var server doorbell
	g := newGame(t, func(s *plugin.Server) { s.AddSystem(plugin.AfterReceive, server.system()) })
	// The loss is simulated at the receiving end of each direction, because a closed Conn sends all
	// of its in-flight datagrams.
	options := conditioner.Options{Receive: line, Seed: 1, Clock: g.clock}
	over, place := conditioner.NewDialer(g.network.Dialer(), options), conditioner.NewListener(g.place, options)
	c := g.join(9)
	c.Disconnect()
	start := func() {
		require.NoError(t, g.server.Stop())
		require.NoError(t, g.server.Start(place))
		g.now = g.now.Add(2 * time.Second) // tokens from the second in which the server started are refused
	}
	start()
	lost := 0
	for round := range 100 {
		for way, want := range []string{fmt.Sprint("kicked ", round), "the server stopped", "the client left"} {
			g.connectOver(over, c, 9)
			for range 400 {
				if g.run(1); c.State() == plugin.Connected && len(g.server.Clients()) == 1 {
					break
				}
			}
			require.Equal(t, plugin.Connected, c.State())
			require.Len(t, g.server.Clients(), 1)
			switch server.went = nil; way {
			case 0:
				require.True(t, g.server.Disconnect(9, want))
			case 1:
				require.NoError(t, g.server.Stop())
			case 2:
				c.Disconnect()
			}
			g.run(20)
			got := c.Err()
			if way == 2 {
				require.Len(t, server.went, 1)
				got = server.went[0].Err
			}
			if got == nil || got.Error() != want {
				lost++
				t.Logf("round %d: %q came as %q", round, want, got)
			}
			if way == 1 {
				start()
			}
		}
	}
	assert.Zero(t, lost, "of 300 reasons")
}

// A client has left, but the server still waits for its goodbye. A client that connects through
// another layer gets the same id, and its slot.
//
// Proves: C7, C8
func TestALeavingClientKeepsNobodyOutOfAnotherLayer(t *testing.T) {
	for _, test := range []struct {
		name   string
		id     entangle.ClientID
		places int
	}{{"the same", 9, 1}, {"somebody else", 10, 1}, {"the same beside a free place", 9, 2}} {
		t.Run(test.name, func(t *testing.T) {
			id := test.id
			g := newGameWith(t, func(c *plugin.ServerConfig) { c.MaxClients = test.places })
			require.NoError(t, g.server.Stop())
			near := g.network.Listener()
			require.NoError(t, g.server.StartWith(g.server.Netcode(g.place), trusted.Listener{Over: near}))
			g.now = g.now.Add(2 * time.Second) // tokens from the second in which the server started are refused
			c := g.join(9)
			c.Disconnect()
			over := &payloadLoss{Dialer: g.network.Dialer()}
			g.connectOver(over, c, 9)
			g.run(30)
			require.Equal(t, plugin.Connected, c.State())
			over.send = true
			c.Disconnect()
			require.NoError(t, c.ConnectWith(trusted.Dialer{Over: g.network.Dialer(), Server: near.Addr(), Client: id}))
			g.run(5)
			assert.Equal(t, plugin.Connected, c.State(), c.Err())
			g.run(30)
			assert.Equal(t, plugin.Connected, c.State(), c.Err())
			require.Len(t, g.server.Clients(), 1)
			assert.Equal(t, id, g.server.Clients()[0].ID)
		})
	}
}

// A connection ends with the longest possible reason, over either layer. The bytes that are then
// sent for it, at once and with an exhausted cap, are no more than docs/STATES.md allows.
//
// Proves: P12
func TestTheGoodbyesOfAConnectionAreBounded(t *testing.T) {
	reason := strings.Repeat("x", 200)
	for near, most := range map[bool]uint64{false: 3 << 10, true: 5 << 10} {
		t.Run(fmt.Sprintf("trusted %v", near), func(t *testing.T) {
			g := newGameWith(t, func(c *plugin.ServerConfig) { c.MaxClients, c.MaxBytesPerClient = 1, plugin.LeastBytes })
			for id := range uint32(300) {
				g.spawn(spot{float32(id), 1}, name{id})
			}
			c := g.join(9)
			if near {
				c.Disconnect()
				g.run(10)
				require.NoError(t, g.server.Stop())
				place := g.network.Listener()
				require.NoError(t, g.server.StartWith(trusted.Listener{Over: place}))
				require.NoError(t, c.ConnectWith(trusted.Dialer{Over: g.network.Dialer(), Server: place.Addr(), Client: 9}))
			}
			for range 200 {
				if g.run(1); c.State() == plugin.Connected && c.Stats().Entities > 0 {
					break
				}
			}
			require.Positive(t, c.Stats().Entities)
			require.Less(t, c.Stats().Entities, 300, "the cap holds the rest back")
			before := g.server.Stats().BytesOut
			require.True(t, g.server.Disconnect(9, reason))
			g.run(30)
			sent := g.server.Stats().BytesOut - before
			require.Equal(t, plugin.Disconnected, c.State())
			require.EqualError(t, c.Err(), reason)
			t.Logf("%d bytes", sent)
			assert.Greater(t, sent, uint64(10*200), "ten goodbyes")
			assert.LessOrEqual(t, sent, most)
		})
	}
}
