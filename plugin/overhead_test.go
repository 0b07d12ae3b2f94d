package plugin_test

import (
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

// bulkyLayer is a connection layer that adds many bytes to each payload.
type bulkyLayer struct {
	connection.Listener
	connection.Server
	sent int // overhead bytes
}

const addition = 300

func (l *bulkyLayer) Listen(config connection.ServerConfig) (connection.Server, error) {
	inner, err := l.Listener.Listen(config)
	l.Server = inner
	return l, err
}

func (l *bulkyLayer) Send(slot int, payload []byte, now time.Time) {
	l.sent += addition
	l.Server.Send(slot, payload, now)
}

func (l *bulkyLayer) Sent(slot int) uint64  { return l.Server.Sent(slot) + uint64(l.sent) }
func (l *bulkyLayer) Overhead(slot int) int { return l.Server.Overhead(slot) + addition }

func (l *bulkyLayer) Traffic() connection.Traffic {
	t := l.Server.Traffic()
	t.BytesOut += uint64(l.sent)
	return t
}

// The bytes that a connection layer adds to a payload are counted before the payload is sent. In a
// frame with much to send, the server sends no more than the saved budget and the slack allow,
// under a cap per client and under one for all clients.
//
// Proves: P12
func TestWhatALayerAddsCountsUnderACap(t *testing.T) {
	const cap = 100_000
	for _, adjust := range []func(*plugin.ServerConfig){
		func(c *plugin.ServerConfig) { c.MaxBytesPerClient = cap },
		func(c *plugin.ServerConfig) { c.MaxBytes = cap },
	} {
		chatty := func() *protocol.Protocol {
			p := testProtocol()
			protocol.Message[word](p).Mode(protocol.UnorderedUnreliable)
			return p
		}
		say := 0
		g := newGameWith(t, func(c *plugin.ServerConfig) {
			c.Protocol, c.MaxClients = chatty(), 1
			adjust(c)
		}, func(s *plugin.Server) {
			s.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
				send, long := plugin.NewSender[word](w), word{}
				for i := range long.Letters {
					long.Letters[i] = 1<<31 + uint32(i)
				}
				return func() {
					for range say {
						_ = send.Send(components.Everyone, long)
					}
				}
			}))
		})
		require.NoError(t, g.server.Stop())
		layer := &bulkyLayer{Listener: g.server.Netcode(g.place)}
		require.NoError(t, g.server.StartWith(layer))
		g.now = g.now.Add(2 * time.Second)
		c := g.joinWith(chatty(), 1)
		g.run(60)
		require.Equal(t, plugin.Connected, c.State())
		say = 700
		most := uint64(0)
		for range 60 {
			before := layer.Traffic().BytesOut
			g.run(1)
			most = max(most, layer.Traffic().BytesOut-before)
		}
		assert.LessOrEqual(t, most, uint64(cap/10+4096))
		assert.Greater(t, most, uint64(cap/40), "it is used")
	}
}
