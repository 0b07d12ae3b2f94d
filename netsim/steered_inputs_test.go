package netsim_test

import (
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/plugin"
)

// drive adds a player that has its own entity and a settled clock.
func (g *inputGame) drive(adjust ...func(*plugin.ClientConfig)) (*inputClient, ecs.Entity) {
	c := g.join(7, adjust...)
	e := g.spawn(7)
	g.awaitSync(10 * time.Second)
	return c, e
}

// expectInTime runs for a while and checks that at least the given share of the ticks ran with the
// player's input for that tick, that inputs were not earlier than the given number of ticks, and
// that the clock did not jump.
func (g *inputGame) expectInTime(c *inputClient, d time.Duration, share, early float64) {
	g.t.Helper()
	jumps := c.Client().Stats().Clock.Jumps
	before := g.server.Clients()[0]
	clear(g.acted)
	margins, frames := 0.0, 0.0
	for end := g.sim.Clock().Since() + d; g.sim.Clock().Since() < end; frames++ {
		g.sim.Run(250 * ms)
		margins += float64(g.server.Clients()[0].Margin)
	}
	after := g.server.Clients()[0]
	inTime, missing := after.InputsInTime-before.InputsInTime, after.InputsMissing-before.InputsMissing
	assert.InDelta(g.t, d.Seconds()*60, inTime+missing, 2, "each tick counts once")
	assert.GreaterOrEqual(g.t, float64(inTime)/float64(inTime+missing), share, "%d in time, %d missing", inTime, missing)
	assert.LessOrEqual(g.t, after.InputsLate-before.InputsLate, missing, "what is late was missing")
	assert.LessOrEqual(g.t, margins/frames, early)
	assert.Equal(g.t, jumps, c.Client().Stats().Clock.Jumps)
	g.expectOwnTicks()
}

// expectOwnTicks checks that every input that is applied as fresh belongs to the tick in which it
// is applied.
func (g *inputGame) expectOwnTicks() {
	g.t.Helper()
	for _, acts := range g.acted {
		for tick, a := range acts {
			if a.Status == plugin.FreshInput {
				require.EqualValues(g.t, tick, a.Input.Made)
			}
		}
	}
}

// Inputs arrive shortly before the server runs their tick, over any line.
//
// Proves: S1
func TestInputsArriveBeforeTheirTick(t *testing.T) {
	for _, link := range []struct {
		netsim.Link
		share, early float64
	}{
		{netsim.Link{}, 1, 2},
		{rough(50*ms, 0, 0), 1, 2},
		{rough(200*ms, 0, 0), 1, 2},
		{rough(100*ms, 20*ms, 0.05), 0.995, 4},
	} {
		g := newInputGame(t, link.Link)
		c, _ := g.drive()
		g.expectInTime(c, 30*time.Second, link.share, link.early)
		info := c.Client().Stats().Clock
		assert.Greater(t, info.Inputs, uint64(30*60))
		assert.Less(t, float64(info.Late), 0.02*float64(info.Inputs))
		assert.LessOrEqual(t, c.Client().Stats().Link.Quality, plugin.Fair)
		assert.LessOrEqual(t, g.server.Clients()[0].Quality, plugin.Fair)
	}
}

// Within a second after a stall of either side, or of the network, inputs are in time again, and
// the clock has jumped once at most. A late input never acts.
//
// Proves: S3, S9
func TestInputsAreInTimeSoonAfterAStall(t *testing.T) {
	for name, stall := range map[string]struct {
		jumps uint64
		do    func(*inputGame, *inputClient, time.Duration)
	}{
		"client": {1, func(_ *inputGame, c *inputClient, d time.Duration) { c.Freeze(d) }},
		"server": {1, func(g *inputGame, _ *inputClient, d time.Duration) { g.sim.FreezeServer(d) }},
		"network": {0, func(g *inputGame, c *inputClient, d time.Duration) {
			c.Cut()
			g.sim.Run(d)
			c.Restore()
		}},
	} {
		g := newInputGame(t, rough(50*ms, 5*ms, 0))
		c, _ := g.drive()
		g.expectInTime(c, 10*time.Second, 0.99, 3)
		before := c.Client().Stats().Clock.Jumps
		from := g.sim.Clock().Since()
		stall.do(g, c, 4*time.Second)
		g.sim.Run(from + 5*time.Second - g.sim.Clock().Since())
		assert.Equal(t, stall.jumps, c.Client().Stats().Clock.Jumps-before, name)
		g.expectOwnTicks()
		g.expectInTime(c, 10*time.Second, 0.99, 5)
	}
}

// The inputs of a client with a fixed pace of one tick per Update are in time as well, although its
// pace differs from the server's.
//
// Proves: S1
func TestInputsOfATickPerUpdateArriveBeforeTheirTick(t *testing.T) {
	for _, drift := range []int{-500, 500} {
		g := newInputGame(t, rough(50*ms, 5*ms, 0))
		c, _ := g.drive(func(c *plugin.ClientConfig) { c.TickPerUpdate = true })
		c.SetDrift(drift)
		g.expectInTime(c, 60*time.Second, 0.99, 3)
	}
}
