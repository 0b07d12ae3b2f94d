package plugin_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/plugin"
)

// A client that leaves before its hello has still used its quota: connecting is charged, and so is
// everything it sends before the hello. If it reconnects again and again, it causes no more work in
// total than a client that stays.
//
// Proves: Z21
func TestComingAgainWithoutAHelloGainsNothing(t *testing.T) {
	c := costlyPackets()["packets without frames"]
	g := newGame(t)
	g.run(1)
	begun, before := g.now, g.server.Stats().Work
	for range 20 {
		i := g.infiltrate(100)
		for range 3 {
			for range 10 * c.packets {
				i.hit(&c)
			}
			g.run(1)
			i.step()
		}
		require.Empty(t, g.server.Clients(), "it has not said hello")
		i.sess.Disconnect(g.now)
		i.step()
		g.run(1)
		work := float64(g.server.Stats().Work - before)
		require.LessOrEqual(t, work, plugin.LeastDefaultWork*(g.now.Sub(begun)+500*time.Millisecond).Seconds()+600)
	}
	assert.NotZero(t, droppedBy(g.server, "packet of a client that sends too much"))
	assert.Zero(t, g.broken())
}

// Accepting a client is work that is charged to it, before it sends anything.
//
// Proves: Z21
func TestConnectingIsCharged(t *testing.T) {
	g := newGame(t)
	g.run(1)
	for range 3 {
		before := g.server.Stats().Work
		i := g.infiltrate(100)
		assert.EqualValues(t, 1024, g.server.Stats().Work-before)
		i.sess.Disconnect(g.now)
		i.step()
		g.run(1)
	}
}
