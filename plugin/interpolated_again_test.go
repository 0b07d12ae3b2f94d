package plugin_test

import (
	"testing"
	"time"

	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

// After a restart, the ticks of the server are earlier than before. A client that connects again shows entities in
// motion.
//
// Proves: C7, N1
func TestInterpolationFollowsARestartedServer(t *testing.T) {
	smooth := func() *protocol.Protocol {
		p := protocol.New(protocol.Config{Name: "plugin test"})
		protocol.Component[spot](p).Interpolate(protocol.Linear)
		protocol.Component[name](p)
		protocol.Component[components.Interpolated](p)
		return p
	}
	serve := func(now time.Time) *game {
		g := newGameWith(t, func(c *plugin.ServerConfig) { c.Protocol = smooth() })
		g.now = now
		spawn := generic.NewMap3[spot, name, components.Replicate](g.world)
		spawn.NewWith(&spot{}, &name{1}, &components.Replicate{Interpolate: components.Everyone})
		spawn.NewWith(&spot{}, &name{2}, &components.Replicate{Interpolate: components.Everyone, SendEvery: 4})
		return g
	}
	// moves runs ticks, and returns in how many of them the client showed an entity that moved.
	moves := func(g *game, c *player, ticks int) map[uint32]int {
		moved, places := map[uint32]int{}, generic.NewFilter1[spot]()
		for range ticks {
			for q := places.Query(g.world); q.Next(); {
				q.Get().X++
			}
			before := spots(c.world)
			g.run(1)
			for n, at := range spots(c.world) {
				if was, ok := before[n]; ok && was != at {
					moved[n]++
				}
			}
		}
		return moved
	}
	first := serve(time.Unix(1_000_000, 0))
	c := first.joinWith(smooth(), 9)
	moves(first, c, 600)
	assert.Greater(t, moves(first, c, 60)[1], 50)

	second := serve(first.now)
	c.Disconnect()
	first.run(3)
	second.now, second.clients = first.now.Add(2*time.Second), first.clients
	first.now = second.now
	second.connect(c, 9)
	moves(second, c, 120)
	moved := moves(second, c, 60)
	assert.Greater(t, moved[1], 50)
	assert.Greater(t, moved[2], 50)
}
