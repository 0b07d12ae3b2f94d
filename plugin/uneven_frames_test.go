package plugin_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
)

// A system that runs in ticks reads each event once, for any distribution of ticks over frames.
// That includes an event raised in a frame without a tick, and in a frame with several.
//
// Proves: R38
func TestATickReadsTheEventsOfFramesWithoutOne(t *testing.T) {
	server, guest := &ears{}, &ears{}
	g := newGame(t, func(s *plugin.Server) { s.AddSystem(plugin.FixedMain, server.system()) })
	g.join(1, func(c *plugin.Client) { c.AddSystem(plugin.AfterReceive, guest.system()) })
	g.run(60)
	require.Len(t, g.server.Clients(), 1)
	want, whole := []string{}, 0
	for n := range 240 {
		text := fmt.Sprint(n)
		require.NoError(t, guest.send.Send(components.Server, chat{Text: text}))
		want = append(want, text)
		g.clients[0].Step(g.now)
		frame := time.Second / 240
		if n%10 == 9 {
			frame = time.Second / 20
		}
		before := g.server.Tick()
		g.now = g.now.Add(frame)
		g.server.Step(g.now)
		if g.server.Tick() == before {
			whole++
		}
	}
	g.run(10)
	assert.Greater(t, whole, 100, "frames without a tick")
	assert.Equal(t, want, server.texts())
}

// A frame of several ticks is sent if any of its ticks is one to send: it need not be the last.
//
// Proves: R35
func TestAFrameOfSeveralTicksIsSentForAnyOfThem(t *testing.T) {
	const every = 3
	for ahead := range every {
		g := newGameWith(t, func(c *plugin.ServerConfig) { c.SendEvery = every })
		e := g.spawn(spot{}, name{1})
		c := g.join(9)
		g.run(60)
		require.True(t, c.Joined())
		for int(g.server.Tick())%every != ahead {
			g.run(1)
		}
		for n := range 20 {
			at[spot](g.world, e).X = float32(n + 1)
			before := g.server.Tick()
			g.now = g.now.Add(time.Second / 20)
			g.server.Step(g.now)
			require.InDelta(t, every, int(g.server.Tick()-before), 1)
			c.Step(g.now)
			if before/every != g.server.Tick()/every {
				require.Equal(t, float32(n+1), spots(c.world)[1].X, "after tick %d", g.server.Tick())
			}
		}
	}
}
