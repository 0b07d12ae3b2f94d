package plugin_test

import (
	"context"
	"net/netip"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/transport/udp"
)

// doorbell records connects and disconnects.
type doorbell struct {
	came []plugin.ClientConnected
	went []plugin.ClientDisconnected
}

func (d *doorbell) system() plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		came, went := plugin.NewReader[plugin.ClientConnected](w), plugin.NewReader[plugin.ClientDisconnected](w)
		return func() {
			d.came = append(d.came, came.Read()...)
			d.went = append(d.went, went.Read()...)
		}
	})
}

// Both sides receive the event of a connection, with the same id. The server's event also has the
// user data of the token.
//
// Proves: C1, C9, R38
func TestBothSidesHearOfAConnection(t *testing.T) {
	var server, client doorbell
	g := newGame(t, func(s *plugin.Server) { s.AddSystem(plugin.AfterReceive, server.system()) })
	g.join(9, func(c *plugin.Client) { c.AddSystem(plugin.AfterReceive, client.system()) })
	g.run(30)
	require.Len(t, server.came, 1)
	require.Len(t, client.came, 1)
	assert.EqualValues(t, 9, server.came[0].Client)
	assert.EqualValues(t, 9, client.came[0].Client)
	assert.Equal(t, "hi", string(server.came[0].UserData[:2]))
}

// A kick reaches the client at once, with the game's reason, and despawns everything replicated.
//
// Proves: C6, R38
func TestAKickReachesTheClientWithItsReason(t *testing.T) {
	var server, client doorbell
	g := newGame(t, func(s *plugin.Server) { s.AddSystem(plugin.AfterReceive, server.system()) })
	c := g.join(9, func(c *plugin.Client) { c.AddSystem(plugin.AfterReceive, client.system()) })
	g.spawn(spot{}, name{1})
	g.run(30)
	require.Len(t, spots(c.world), 1)
	require.True(t, g.server.Disconnect(9, "no cheating, please"))
	g.run(3)
	require.Len(t, client.went, 1)
	assert.EqualError(t, client.went[0].Err, "no cheating, please")
	assert.Equal(t, plugin.Disconnected, c.State())
	assert.EqualError(t, c.Err(), "no cheating, please")
	assert.Empty(t, spots(c.world))
	require.Len(t, server.went, 1)
	assert.EqualError(t, server.went[0].Err, "no cheating, please")
	assert.Empty(t, g.server.Clients())
	assert.False(t, g.server.Disconnect(9, "again"))
}

// A disconnect leaves no state behind, and the client can connect again with a new token.
//
// Proves: C7
func TestReconnectingStartsAfresh(t *testing.T) {
	g := newGame(t)
	c := g.join(9)
	g.spawn(spot{1, 1}, name{1})
	g.run(30)
	c.Disconnect()
	assert.Empty(t, spots(c.world))
	g.run(10)
	assert.Empty(t, g.server.Clients())
	g.spawn(spot{2, 2}, name{2})
	g.connect(c, 9)
	g.run(30)
	assert.Equal(t, spots(g.world), spots(c.world))
	assert.Len(t, g.server.Clients(), 1)
}

// Proves: C10
func TestStoppingDisconnectsEveryoneAndStartsAgain(t *testing.T) {
	g := newGame(t)
	c := g.join(9)
	g.run(30)
	require.NoError(t, g.server.Stop())
	assert.Equal(t, plugin.Stopped, g.server.State())
	g.run(3)
	assert.Equal(t, plugin.Disconnected, c.State())
	assert.EqualError(t, c.Err(), "the server stopped")
	require.NoError(t, g.server.Start(g.place))
	g.now = g.now.Add(2 * time.Second) // tokens from the second in which the server started are refused
	g.connect(c, 9)
	g.run(30)
	assert.Equal(t, plugin.Connected, c.State())
}

// A client with a different protocol does not connect, and both sides receive a reason that names
// the difference.
//
// Proves: C16, G2
func TestAnotherProtocolDoesNotConnect(t *testing.T) {
	var server doorbell
	g := newGame(t, func(s *plugin.Server) { s.AddSystem(plugin.AfterReceive, server.system()) })
	other := protocol.New(protocol.Config{Name: "plugin test"})
	protocol.Component[private](register(other))
	c, err := plugin.NewClient(plugin.ClientConfig{Protocol: other, Clock: g.clock})
	require.NoError(t, err)
	w := ecs.NewWorld()
	c.Initialize(&w)
	pl := &player{Client: c, world: &w}
	g.clients = append(g.clients, pl)
	g.connect(pl, 4)
	g.run(60)
	assert.Equal(t, plugin.Disconnected, c.State())
	assert.ErrorContains(t, c.Err(), "private")
	assert.Empty(t, server.came)
	assert.Empty(t, g.server.Clients())
}

// A program can read the state and wait for it, on real sockets with the real clock.
//
// Proves: C15
func TestStatesCanBeWaitedFor(t *testing.T) {
	s, err := plugin.NewServer(plugin.ServerConfig{Protocol: testProtocol()})
	require.NoError(t, err)
	assert.Equal(t, plugin.Stopped, s.State())
	require.NoError(t, s.Start(udp.Listener{Addr: "127.0.0.1:0"}))
	assert.Equal(t, plugin.Started, s.State())
	sw := ecs.NewWorld()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	done := make(chan error, 1)
	addr := s.Addrs()[0]
	serverCtx, stop := context.WithCancel(ctx)
	go func() { done <- plugin.Run(serverCtx, &sw, s) }()
	defer cancel()

	c, err := plugin.NewClient(plugin.ClientConfig{Protocol: testProtocol()})
	require.NoError(t, err)
	cw := ecs.NewWorld()
	c.Initialize(&cw)
	assert.Equal(t, plugin.Disconnected, c.State())
	tok, err := c.DevToken(addr, 5)
	require.NoError(t, err)
	require.NoError(t, c.Connect(udp.Dialer{}, tok))
	assert.Equal(t, plugin.Connecting, c.State())
	require.NoError(t, c.Wait(ctx, plugin.Connected))
	assert.EqualValues(t, 5, c.ID())
	stop()
	require.NoError(t, <-done)
	require.NoError(t, c.Wait(ctx, plugin.Disconnected))
	assert.EqualError(t, c.Err(), "the server stopped")
}

func TestAServerWithoutAKeyStaysOnLoopback(t *testing.T) {
	s, err := plugin.NewServer(plugin.ServerConfig{Protocol: testProtocol()})
	require.NoError(t, err)
	err = s.Start(udp.Listener{Addr: "0.0.0.0:0"})
	assert.ErrorContains(t, err, "set ServerConfig.Key")
	assert.Equal(t, plugin.Stopped, s.State())
	assert.ErrorContains(t, s.Start(), "needs at least one listener")
	assert.Error(t, s.Start(udp.Listener{Addr: "nonsense"}))
}

func TestMistakesOfAConfigSayWhatToDo(t *testing.T) {
	_, err := plugin.NewServer(plugin.ServerConfig{})
	assert.ErrorContains(t, err, "protocol.New")
	_, err = plugin.NewClient(plugin.ClientConfig{})
	assert.ErrorContains(t, err, "protocol.New")
	_, err = plugin.NewServer(plugin.ServerConfig{Protocol: testProtocol(), MaxClients: -1})
	assert.ErrorContains(t, err, "MaxClients")
	c, err := plugin.NewClient(plugin.ClientConfig{Protocol: testProtocol()})
	require.NoError(t, err)
	tok, err := c.DevToken(netip.MustParseAddrPort("127.0.0.1:1"), 1)
	require.NoError(t, err)
	assert.ErrorContains(t, c.Connect(udp.Dialer{}, tok), "after Initialize")
	_, err = c.DevToken(netip.MustParseAddrPort("127.0.0.1:1"), entangle.Nobody)
	assert.Error(t, err)
}
