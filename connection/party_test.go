package connection_test

import (
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/transport/memory"
)

type place struct{ X, Y float32 }

type chat struct{ Text string }

func partyProtocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "party"})
	protocol.Component[place](p)
	protocol.Message[chat](p).Relay()
	return p
}

// party is a server and its clients over any layer, each with a world of its own. They use the real
// clock, because some of them use sockets.
type party struct {
	t       testing.TB
	server  *plugin.Server
	world   *ecs.World
	network *memory.Network
	guests  []*partyGuest
}

type partyGuest struct {
	*plugin.Client
	world    *ecs.World
	send     plugin.Sender[chat]
	received map[string]entangle.ClientID
}

func newParty(t testing.TB, maxClients int) *party {
	s, err := plugin.NewServer(plugin.ServerConfig{Protocol: partyProtocol(), MaxClients: maxClients})
	require.NoError(t, err)
	w := ecs.NewWorld()
	s.Initialize(&w)
	p := &party{t: t, server: s, world: &w, network: memory.NewNetwork()}
	t.Cleanup(func() {
		for _, g := range p.guests {
			g.Disconnect()
		}
		require.NoError(t, s.Stop())
	})
	return p
}

// guest adds a client that does not connect yet.
func (p *party) guest() *partyGuest {
	c, err := plugin.NewClient(plugin.ClientConfig{Protocol: partyProtocol()})
	require.NoError(p.t, err)
	w := ecs.NewWorld()
	g := &partyGuest{Client: c, world: &w, received: map[string]entangle.ClientID{}}
	c.AddSystem(plugin.AfterReceive, plugin.Func(func(w *ecs.World) func() {
		g.send = plugin.NewSender[chat](w)
		read := plugin.NewReader[plugin.MessageReceived[chat]](w)
		return func() {
			for _, m := range read.Read() {
				g.received[m.Message.Text] = m.From
			}
		}
	}))
	c.Initialize(&w)
	p.guests = append(p.guests, g)
	return g
}

// until updates server and clients until done returns true.
func (p *party) until(what string, done func() bool) {
	p.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !done(); time.Sleep(time.Millisecond) {
		require.True(p.t, time.Now().Before(deadline), what)
		p.server.Step(time.Now())
		for _, g := range p.guests {
			g.Step(time.Now())
		}
	}
}

func (p *party) connected() bool {
	for _, g := range p.guests {
		if g.State() != plugin.Connected {
			return false
		}
	}
	return true
}

// places returns the places of all entities of a world.
func places(w *ecs.World) (all []place) {
	filter := generic.NewFilter1[place]()
	for q := filter.Query(w); q.Next(); {
		all = append(all, *q.Get())
	}
	return all
}

// play moves an entity on the server, which all clients must see, and sends a message from
// each client, which all others must receive.
func (p *party) play() {
	p.t.Helper()
	m := generic.NewMap2[place, components.Replicate](p.world)
	e := m.NewWith(&place{1, 2}, &components.Replicate{})
	p.until("all clients see the server's entity", func() bool { return p.all(func(g *partyGuest) bool { return len(places(g.world)) == 1 }) })
	mover := generic.NewMap1[place](p.world)
	mover.Get(e).X = 5
	for _, g := range p.guests {
		require.NoError(p.t, g.send.Send(components.Everyone, chat{Text: "from " + g.name()}))
	}
	p.until("all clients see it move", func() bool { return p.all(func(g *partyGuest) bool { return places(g.world)[0].X == 5 }) })
	p.until("all clients receive the messages of all others", func() bool {
		return p.all(func(g *partyGuest) bool {
			for _, other := range p.guests {
				if g != other && g.received["from "+other.name()] != other.ID() {
					return false
				}
			}
			return true
		})
	})
}

func (g *partyGuest) name() string { return string(rune('a' + g.ID())) }

func (p *party) all(holds func(*partyGuest) bool) bool {
	for _, g := range p.guests {
		if !holds(g) {
			return false
		}
	}
	return true
}
