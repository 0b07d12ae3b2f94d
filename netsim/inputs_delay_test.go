package netsim_test

import (
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/plugin"
)

// expectAlike checks that the server and the player's own world applied the same inputs, except for
// late ones, and returns the ticks with a fresh input. With a long delay the player can be behind
// the server.
func (c *inputClient) expectAlike(e ecs.Entity) (fresh []entangle.Tick) {
	t, mine := c.game.t, c.of(e)
	t.Helper()
	for tick, a := range c.game.acted[e] {
		if a.Status == plugin.FreshInput && !c.Client().Tick().Before(tick) {
			fresh = append(fresh, tick)
			require.Equal(t, mine[tick], a, "tick %d", tick)
		}
	}
	return fresh
}

// With an input delay of D ticks, an input acts D ticks after it was pressed, in the player's own
// world and on the server, and the player's clock is ahead by fewer ticks.
//
// Proves: I3
func TestInputsActAfterTheDelay(t *testing.T) {
	var leads []float64
	for _, delay := range []int{0, 1, 4, 12} {
		g := newInputGame(t, rough(60*ms, 5*ms, 0.02))
		c := g.join(1, func(config *plugin.ClientConfig) { config.InputDelay = plugin.InputDelay{Min: delay} })
		c.do = func(tick entangle.Tick, _ ecs.Entity, s *steer) { s.Jump = uint8(tick) }
		e := g.spawn(1)
		g.awaitSync(6 * time.Second)
		g.sim.Run(5 * time.Second)
		fresh := c.expectAlike(e)
		assert.Greater(t, len(fresh), 275)
		for _, tick := range fresh {
			a := g.acted[e][tick]
			require.EqualValues(t, tick-entangle.Tick(delay), a.Input.Made)
			require.EqualValues(t, uint8(a.Input.Made), a.Input.Jump)
		}
		leads = append(leads, c.Client().Stats().Clock.Lead)
	}
	assert.InDelta(t, leads[0]-1, leads[1], 0.9)
	assert.InDelta(t, leads[0]-4, leads[2], 0.9)
}

// If the delay changes while the player plays, every press acts once, and in order, on both sides.
//
// Proves: I10
func TestADelayThatChangesLosesNoPress(t *testing.T) {
	g := newInputGame(t, rough(50*ms, 0, 0))
	c := g.join(1)
	var pressed []uint8
	c.do = func(tick entangle.Tick, _ ecs.Entity, s *steer) {
		if tick%7 == 0 && len(pressed) < 250 {
			s.Jump = uint8(len(pressed) + 1)
			pressed = append(pressed, s.Jump)
		}
	}
	e := g.spawn(1)
	g.awaitSync(4 * time.Second)
	from := len(pressed)
	for _, delay := range []int{6, 0, 12, 3, 9, 1} {
		require.NoError(t, c.Client().SetInputDelay(plugin.InputDelay{Min: delay}))
		g.sim.Run(3 * time.Second)
	}
	c.expectAlike(e)
	var acted []uint8
	for tick := g.server.Tick() - 17*60; tick != g.server.Tick()+1; tick++ {
		if jump := g.acted[e][tick].Input.Jump; jump != 0 {
			acted = append(acted, jump)
		}
	}
	require.Greater(t, len(acted), 100)
	first, last := acted[0], acted[len(acted)-1]
	assert.LessOrEqual(t, int(first), from+10)
	assert.Equal(t, pressed[first-1:last], acted)
}

// A player that sends less often than once per tick still delivers an input for every tick.
func TestInputsOfAPlayerWhoSendsSeldom(t *testing.T) {
	g := newInputGame(t, rough(40*ms, 5*ms, 0.02))
	c := g.join(1, func(config *plugin.ClientConfig) { config.SendEvery = 4 })
	c.do = func(tick entangle.Tick, _ ecs.Entity, s *steer) { s.Jump = uint8(tick) }
	e := g.spawn(1)
	g.awaitSync(8 * time.Second)
	g.sim.Run(5 * time.Second)
	assert.Greater(t, len(c.expectAlike(e)), 280)
	assert.Less(t, c.Client().Stats().Inputs.Frames, uint64(14*60/4))
}

// After a stall of either side, or of the network, a player's inputs arrive as before.
func TestInputsGoOnAfterAStall(t *testing.T) {
	stalls := map[string]func(*inputClient){
		"client":  func(c *inputClient) { c.Freeze(3 * time.Second); c.game.sim.Run(3 * time.Second) },
		"server":  func(c *inputClient) { c.game.sim.FreezeServer(3 * time.Second); c.game.sim.Run(3 * time.Second) },
		"network": func(c *inputClient) { c.Cut(); c.game.sim.Run(3 * time.Second); c.Restore() },
	}
	for name, stall := range stalls {
		t.Run(name, func(t *testing.T) {
			g := newInputGame(t, rough(40*ms, 5*ms, 0))
			c := g.join(1)
			c.do = func(tick entangle.Tick, _ ecs.Entity, s *steer) { s.Move = int8(tick % 100) }
			e := g.spawn(1)
			g.awaitSync(4 * time.Second)
			stall(c)
			g.awaitSync(4 * time.Second)
			g.sim.Run(3 * time.Second)
			assert.True(t, c.Connected(), c.Client().Err())
			assert.Greater(t, len(c.expectAlike(e)), 175)
			for tick, a := range g.acted[e] {
				if a.Status == plugin.FreshInput {
					require.EqualValues(t, tick, a.Input.Made)
				}
			}
		})
	}
}

// A stall may lose presses but doubles none: on the server each press acts at most once, in the
// order in which they were made.
func TestAStallDoublesNoPress(t *testing.T) {
	for _, delay := range []int{0, 6} {
		g := newInputGame(t, rough(40*ms, 5*ms, 0))
		c := g.join(1, func(config *plugin.ClientConfig) { config.InputDelay = plugin.InputDelay{Min: delay} })
		pressed := uint8(0)
		c.do = func(tick entangle.Tick, _ ecs.Entity, s *steer) {
			if tick%5 == 0 && pressed < 255 {
				pressed++
				s.Jump = pressed
			}
		}
		e := g.spawn(1)
		g.awaitSync(4 * time.Second)
		from := g.server.Tick()
		for range 3 {
			c.Freeze(1500 * time.Millisecond)
			g.sim.Run(4 * time.Second)
		}
		g.sim.FreezeServer(1500 * time.Millisecond)
		g.sim.Run(4 * time.Second)
		var acted []uint8
		for tick := from + 1; tick != g.server.Tick()+1; tick++ {
			if jump := g.acted[e][tick].Input.Jump; jump != 0 {
				acted = append(acted, jump)
			}
		}
		require.Greater(t, len(acted), 60)
		for i, jump := range acted[1:] {
			assert.Greater(t, jump, acted[i], "delay %d: %v", delay, acted)
		}
	}
}
