package plugin_test

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

// A cap too low to keep a connection alive is refused, with the lowest valid one.
func TestCapsAreChecked(t *testing.T) {
	for want, adjust := range map[string]func(*plugin.ServerConfig){
		"MaxBytesPerClient is 15999 bytes per second; set it between 16000": func(c *plugin.ServerConfig) { c.MaxBytesPerClient = 15_999 },
		"MaxBytesPerClient is -1 bytes":                                     func(c *plugin.ServerConfig) { c.MaxBytesPerClient = -1 },
		"MaxBytesPerClient is 268435457 bytes":                              func(c *plugin.ServerConfig) { c.MaxBytesPerClient = 1<<28 + 1 },
		"MaxWorkPerClient is 8191 units per second, which lets nobody play": func(c *plugin.ServerConfig) { c.MaxWorkPerClient = 8191 },
		"MaxBytes is -5 bytes":                                              func(c *plugin.ServerConfig) { c.MaxBytes = -5 },
		"raise it to 1024000 at least, lower MaxClients to 62":              func(c *plugin.ServerConfig) { c.MaxBytes = 1_000_000 },
		"raise it to 32000 at least, lower MaxClients to 1":                 func(c *plugin.ServerConfig) { c.MaxClients, c.MaxBytes = 2, 31_999 },
	} {
		config := plugin.ServerConfig{Protocol: testProtocol()}
		adjust(&config)
		_, err := plugin.NewServer(config)
		assert.ErrorContains(t, err, want)
	}
	_, err := plugin.NewClient(plugin.ClientConfig{Protocol: testProtocol(), MaxBytes: 5})
	assert.ErrorContains(t, err, "ClientConfig.MaxBytes is 5 bytes per second; set it between 16000")
}

type (
	word     struct{ Letters [16]uint32 }
	sentence struct{ Letters [16]float32 }
)

// A steady tick under caps allocates nothing either, with messages that do not fit. Both sides
// count dropped messages.
//
// Proves: P12
func TestATickUnderCapsAllocatesNothing(t *testing.T) {
	chatty := func() *protocol.Protocol {
		p := testProtocol()
		protocol.Message[sentence](p).Mode(protocol.UnorderedUnreliable)
		return p
	}
	g := newGameWith(t, func(c *plugin.ServerConfig) {
		c.Protocol, c.MaxClients, c.MaxBytesPerClient, c.MaxBytes = chatty(), 2, 20_000, 36_000
	}, func(s *plugin.Server) {
		s.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
			filter, send := generic.NewFilter1[spot](), plugin.NewSender[sentence](w)
			return func() {
				for q := filter.Query(w); q.Next(); {
					q.Get().X++
				}
				for range 10 {
					_ = send.Send(components.Everyone, sentence{})
				}
			}
		}))
	})
	for id := range uint32(300) {
		g.spawn(spot{}, name{id})
	}
	for id := range 2 {
		c, err := plugin.NewClient(plugin.ClientConfig{Protocol: chatty(), Clock: g.clock, MaxBytes: 16_000})
		require.NoError(t, err)
		c.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
			send := plugin.NewSender[sentence](w)
			return func() {
				for range 10 {
					_ = send.Send(components.Server, sentence{})
				}
			}
		}))
		w := ecs.NewWorld()
		c.Initialize(&w)
		p := &player{Client: c, world: &w}
		g.clients = append(g.clients, p)
		g.connect(p, entangle.ClientID(id+1))
	}
	g.run(900)
	assert.Zero(t, alloctest.Count(300, func() { g.run(1) }))
	stats := g.server.Stats()
	sum := uint64(0)
	for _, c := range g.server.Clients() {
		assert.Positive(t, c.MessagesDropped)
		sum += c.MessagesDropped
	}
	assert.Equal(t, sum, stats.MessagesDropped)
	assert.Zero(t, stats.BytesWaiting, "what waits is what is new")
	assert.Positive(t, g.clients[0].Stats().MessagesDropped)
	g.server.Disconnect(1, "enough")
	g.run(1)
	assert.GreaterOrEqual(t, g.server.Stats().MessagesDropped, sum, "of clients that are gone, too")
}
