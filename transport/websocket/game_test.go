//go:build !js && !wasip1

package websocket_test

import (
	"crypto/tls"
	"net"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/udp"
	"github.com/entangle-ecs/entangle/transport/websocket"
)

type place struct{ X, Y int32 }

func game() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "websocket game", TickRate: 60})
	protocol.Component[place](p)
	return p
}

// host is a server with one entity, and players of it.
type host struct {
	t       testing.TB
	server  *plugin.Server
	world   ecs.World
	players []*player
}

type player struct {
	client *plugin.Client
	world  ecs.World
}

// keeping is a listener that keeps the Conn that it opened.
type keeping struct {
	transport.Listener
	conn *websocket.Conn
}

func (k *keeping) Listen() (transport.Conn, error) {
	c, err := k.Listener.Listen()
	if err == nil {
		k.conn = c.(*websocket.Conn)
	}
	return c, err
}

func newHost(t testing.TB, listeners ...transport.Listener) *host {
	s, err := plugin.NewServer(plugin.ServerConfig{Protocol: game()})
	require.NoError(t, err)
	h := &host{t: t, server: s, world: ecs.NewWorld()}
	s.Initialize(&h.world)
	things := generic.NewMap2[place, components.Replicate](&h.world)
	things.NewWith(&place{3, 4}, &components.Replicate{})
	require.NoError(t, s.Start(listeners...))
	t.Cleanup(func() { assert.NoError(t, s.Stop()) })
	return h
}

func (h *host) join(dialer transport.Dialer, addr netip.AddrPort) *player {
	c, err := plugin.NewClient(plugin.ClientConfig{Protocol: game()})
	require.NoError(h.t, err)
	p := &player{client: c, world: ecs.NewWorld()}
	c.Initialize(&p.world)
	token, err := c.DevToken(addr, entangle.ClientID(len(h.players)+1))
	require.NoError(h.t, err)
	require.NoError(h.t, c.Connect(dialer, token))
	h.t.Cleanup(c.Disconnect)
	h.players = append(h.players, p)
	return p
}

// play updates server and clients until ok returns true.
func (h *host) play(ok func() bool) {
	h.t.Helper()
	eventually(h.t, func() bool {
		h.server.Update(&h.world)
		for _, p := range h.players {
			p.client.Update(&p.world)
		}
		return ok()
	})
}

func (p *player) sees() bool {
	seen := false
	for q := generic.NewFilter1[place]().Query(&p.world); q.Next(); {
		seen = *q.Get() == place{3, 4}
	}
	return seen
}

// One server, players over UDP, ws:// and wss://, all in one world. The transport is told
// which addresses are clients, and closes the others.
//
// Proves: Z18
func TestAGameOverEveryTransportAtOnce(t *testing.T) {
	serverTLS, clientTLS := certified(t)
	plain, secure := &keeping{Listener: loopback()}, &keeping{Listener: websocket.Listener{Addr: "127.0.0.1:0", TLS: serverTLS}}
	h := newHost(t, udp.Listener{Addr: "127.0.0.1:0"}, plain, secure)
	addrs := h.server.Addrs()
	h.join(udp.Dialer{}, addrs[0])
	h.join(websocket.Dialer{}, addrs[1])
	h.join(websocket.Dialer{URL: "wss://" + addrs[2].String() + websocket.DefaultPath, TLS: clientTLS}, addrs[2])
	h.play(func() bool { return h.players[0].sees() && h.players[1].sees() && h.players[2].sees() })
	for _, k := range []*keeping{plain, secure} {
		assert.Equal(t, 1, k.conn.Stats().Open)
		assert.Zero(t, k.conn.Stats().Pending)
	}

	require.True(t, h.server.Disconnect(2, "enough"))
	h.play(func() bool { return h.players[1].client.State() == plugin.Disconnected })
	assert.EqualError(t, h.players[1].client.Err(), "enough")
	h.play(func() bool { return plain.conn.Stats().Open == 0 })
	h.players[2].client.Disconnect()
	h.play(func() bool { return secure.conn.Stats().Open == 0 })
	assert.True(t, h.players[0].sees())
}

// Clients get a reason when the server is stopped, and also when it dies.
func TestPlayersReadWhyTheyDisconnected(t *testing.T) {
	h := newHost(t, loopback())
	p := h.join(websocket.Dialer{}, h.server.Addrs()[0])
	h.play(p.sees)
	require.NoError(t, h.server.Stop())
	eventually(t, func() bool { p.client.Update(&p.world); return p.client.State() == plugin.Disconnected })
	assert.EqualError(t, p.client.Err(), "the server stopped")

	h = newHost(t, loopback())
	relay := newRelay(t, h.server.Addrs()[0], 0)
	p = h.join(websocket.Dialer{URL: relay.url("ws")}, relay.to)
	h.play(p.sees)
	relay.cut()
	h.play(func() bool { return p.client.State() == plugin.Disconnected })
	assert.ErrorContains(t, p.client.Err(), "the connection to "+relay.url("ws")+" broke")
	assert.ErrorIs(t, p.client.Err(), plugin.ErrTransport)
}

// A distant player connects over TLS, though requests are repeated ten times a second,
// each round trip takes 400 ms, and a stranger may send little.
func TestAFarPlayerConnects(t *testing.T) {
	serverTLS, clientTLS := certified(t)
	kept := &keeping{Listener: websocket.Listener{Addr: "127.0.0.1:0", TLS: serverTLS}}
	h := newHost(t, kept)
	relay := newRelay(t, h.server.Addrs()[0], 200*time.Millisecond)
	p := h.join(websocket.Dialer{URL: relay.url("wss"), TLS: clientTLS}, relay.to)
	h.play(p.sees)
	assert.Zero(t, kept.conn.Stats().Expired)
}

func TestAWrongCertificateEndsTheClientWithAReason(t *testing.T) {
	serverTLS, _ := certified(t)
	h := newHost(t, websocket.Listener{Addr: "127.0.0.1:0", TLS: serverTLS})
	p := h.join(websocket.Dialer{TLS: &tls.Config{MinVersion: tls.VersionTLS12}}, h.server.Addrs()[0])
	h.play(func() bool { return p.client.State() == plugin.Disconnected })
	assert.ErrorContains(t, p.client.Err(), "certificate")
}

// relay forwards TCP connections, with a delay in each direction.
type relay struct {
	net.Listener
	to    netip.AddrPort
	late  time.Duration
	mu    sync.Mutex
	conns []net.Conn
}

func newRelay(t testing.TB, to netip.AddrPort, late time.Duration) *relay {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	r := &relay{Listener: l, to: to, late: late}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", r.to.String())
			if err != nil {
				_ = near.Close()
				continue
			}
			r.mu.Lock()
			r.conns = append(r.conns, near, far)
			r.mu.Unlock()
			running.Go(func() { r.pass(near, far) })
			running.Go(func() { r.pass(far, near) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		r.cut()
		running.Wait()
	})
	return r
}

func (r *relay) url(scheme string) string {
	return scheme + "://" + r.Addr().String() + websocket.DefaultPath
}

// cut ends all connections like a machine that has lost its power.
func (r *relay) cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.conns {
		_ = c.(*net.TCPConn).SetLinger(0)
		_ = c.Close()
	}
}

// pass forwards bytes with the delay until either side is closed.
func (r *relay) pass(from, to net.Conn) {
	type piece struct {
		due   time.Time
		bytes []byte
	}
	pieces := make(chan piece, 1<<12)
	go func() {
		defer close(pieces)
		for {
			b := make([]byte, 4096)
			n, err := from.Read(b)
			if n > 0 {
				pieces <- piece{time.Now().Add(r.late), b[:n]}
			}
			if err != nil {
				return
			}
		}
	}()
	for p := range pieces {
		time.Sleep(time.Until(p.due))
		if _, err := to.Write(p.bytes); err != nil {
			break
		}
	}
	_ = to.Close()
	for range pieces {
		continue
	}
}
