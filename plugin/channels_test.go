package plugin_test

import (
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

type news struct{ N uint32 }

// withNews registers a message on a custom channel.
func withNews() *protocol.Protocol {
	p := testProtocol()
	slow := p.Channel(protocol.ChannelConfig{
		Name: "news", Mode: protocol.UnorderedReliable, Direction: protocol.ServerToClient, SendEvery: 200 * time.Millisecond,
	})
	protocol.Message[news](p).Via(slow)
	return p
}

// A custom channel carries its messages in one direction only, and no more often than its config
// allows.
//
// Proves: P14, P15, P17
func TestAGamesOwnChannel(t *testing.T) {
	g := newGameWith(t, func(c *plugin.ServerConfig) { c.Protocol = withNews() })
	var arrivals []time.Time
	c, err := plugin.NewClient(plugin.ClientConfig{Protocol: withNews(), Clock: g.clock})
	require.NoError(t, err)
	c.AddSystem(plugin.AfterReceive, plugin.Func(func(w *ecs.World) func() {
		read := plugin.NewReader[plugin.MessageReceived[news]](w)
		return func() {
			if len(read.Read()) > 0 {
				arrivals = append(arrivals, g.now)
			}
		}
	}))
	w := ecs.NewWorld()
	c.Initialize(&w)
	p := &player{Client: c, world: &w}
	g.clients = append(g.clients, p)
	g.connect(p, 1)
	g.run(30)

	send := plugin.NewSender[news](g.world)
	for n := range uint32(60) {
		require.NoError(t, send.Send(components.Everyone, news{n}))
		g.run(1)
	}
	g.run(20)
	require.Greater(t, len(arrivals), 3)
	for i := 1; i < len(arrivals); i++ {
		assert.GreaterOrEqual(t, arrivals[i].Sub(arrivals[i-1]), 190*time.Millisecond)
	}

	back := plugin.NewSender[news](&w)
	assert.ErrorContains(t, back.Send(components.Server, news{}), "Direction")
}
