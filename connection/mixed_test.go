package connection_test

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/connection/trusted"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/memory"
	"github.com/entangle-ecs/entangle/transport/udp"
	"github.com/entangle-ecs/entangle/transport/websocket"
)

// connect starts connecting a client with a token.
func (p *party) connect(g *partyGuest, dialer transport.Dialer, server netip.AddrPort, id entangle.ClientID) {
	tok, err := g.DevToken(server, id)
	require.NoError(p.t, err)
	require.NoError(p.t, g.Connect(dialer, tok))
}

// A server listens over UDP, WebSocket and in memory at once and has clients at each; the client in
// memory runs in the server's process, with a world of its own. All of them see the same entities
// and messages.
//
// Proves: C11
func TestClientsOfSeveralTransportsPlayTogether(t *testing.T) {
	p := newParty(t, 4)
	here := p.network.Listener()
	require.NoError(t, p.server.Start(udp.Listener{Addr: "127.0.0.1:0"}, here, websocket.Listener{Addr: "127.0.0.1:0"}))
	addrs := p.server.Addrs()
	require.Len(t, addrs, 3)
	p.connect(p.guest(), udp.Dialer{}, addrs[0], 1)
	p.connect(p.guest(), p.network.Dialer(), here.Addr(), 2)
	p.connect(p.guest(), websocket.Dialer{}, addrs[2], 3)
	p.connect(p.guest(), udp.Dialer{}, addrs[0], 4)
	p.until("all four are connected", p.connected)
	p.play()
}

// mixed returns a server with three connection layers and a client of each kind: netcode over UDP
// and in memory, the trusted layer in memory, and the layer of a platform.
func mixed(t *testing.T) (p *party, store *platform, near *memory.Listener) {
	p, store = newParty(t, 4), &platform{}
	here := p.network.Listener()
	near = p.network.Listener()
	require.NoError(t, p.server.StartWith(
		p.server.Netcode(udp.Listener{Addr: "127.0.0.1:0"}, here),
		trusted.Listener{Over: near},
		&host{platform: store},
	))
	require.Len(t, p.server.Addrs(), 3, "a platform has no addresses")
	p.connect(p.guest(), udp.Dialer{}, p.server.Addrs()[0], 1)
	p.connect(p.guest(), p.network.Dialer(), here.Addr(), 2)
	require.NoError(t, p.guest().ConnectWith(trusted.Dialer{Over: p.network.Dialer(), Server: near.Addr(), Client: 3}))
	require.NoError(t, p.guest().ConnectWith(player{platform: store, name: "ada", id: 4}))
	p.until("all four are connected", p.connected)
	return p, store, near
}

// One server has netcode, a layer for trusted networks and the layer of a platform, and their
// clients play together.
//
// Proves: C19, C11
func TestClientsOfSeveralLayersPlayTogether(t *testing.T) {
	p, _, _ := mixed(t)
	p.play()
	layers := map[entangle.ClientID]int{}
	for _, c := range p.server.Clients() {
		layers[c.ID] = c.Layer
		if c.ID == 4 {
			assert.Equal(t, "ada", c.Name)
			assert.False(t, c.Addr.IsValid())
		} else {
			assert.Equal(t, c.Addr.String(), c.Name)
		}
	}
	assert.Equal(t, map[entangle.ClientID]int{1: 0, 2: 0, 3: 1, 4: 2}, layers)
	for _, g := range p.guests {
		id := g.ID()
		p.server.Disconnect(id, "goodbye, "+g.name())
		want := "goodbye, " + g.name()
		p.until("a kick has its reason in every layer", func() bool { return g.State() == plugin.Disconnected })
		assert.EqualError(t, g.Err(), want, "client %d", id)
	}
}

// An id can be connected once over all layers, and MaxClients counts the clients of all layers: a
// client in excess is refused with a reason.
//
// Proves: C19
func TestAnIDPlaysOnceOverAllLayers(t *testing.T) {
	p, store, near := mixed(t)
	p.server.Disconnect(1, "make room")
	p.until("the first has left", func() bool { return p.guests[0].State() == plugin.Disconnected })
	p.guests = p.guests[1:]
	refused := func(why string, layer connection.Dialer) {
		t.Helper()
		g := p.guest()
		require.NoError(t, g.ConnectWith(layer))
		p.until("the new client is refused", func() bool { return g.State() == plugin.Disconnected })
		assert.EqualError(t, g.Err(), why)
		p.guests = p.guests[:len(p.guests)-1]
	}
	refused("a client with this id is connected already", player{platform: store, name: "bob", id: 2})
	refused("a client with this id is connected already", trusted.Dialer{Over: p.network.Dialer(), Server: near.Addr(), Client: 4})
	require.NoError(t, p.guest().ConnectWith(player{platform: store, name: "eve", id: 5}))
	p.until("the slot is taken", p.connected)
	refused("the server is full", trusted.Dialer{Over: p.network.Dialer(), Server: near.Addr(), Client: 6})
	assert.True(t, p.connected(), "the others stay connected")
	assert.Len(t, p.server.Clients(), 4)
	p.play()
	require.NoError(t, p.server.Stop())
	p.until("all clients notice that the server stops", func() bool {
		return p.all(func(g *partyGuest) bool { return g.State() == plugin.Disconnected })
	})
	for _, g := range p.guests {
		assert.EqualError(t, g.Err(), "the server stopped")
	}
}
