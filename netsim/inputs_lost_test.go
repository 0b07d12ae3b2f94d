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

// jumps returns the ticks in which an entity jumped, with the jump.
func (a acts) jumps() map[entangle.Tick]uint8 {
	found := map[entangle.Tick]uint8{}
	for tick, act := range a {
		if act.Input.Jump != 0 {
			found[tick] = act.Input.Jump
		}
	}
	return found
}

// statuses counts the ticks by input status.
func (a acts) statuses() (n [3]int) {
	for _, act := range a {
		n[act.Status]++
	}
	return n
}

// A third of the packets is lost. Every input still acts in its tick, because later packets repeat
// it, and each event acts once.
//
// Proves: I2, I5
func TestALostInputIsCovered(t *testing.T) {
	g := newInputGame(t, rough(40*ms, 0, 0.3))
	c := g.join(1)
	c.do = func(tick entangle.Tick, _ ecs.Entity, s *steer) {
		if tick%10 == 0 {
			s.Jump = uint8(tick/10)%200 + 1
		}
	}
	e := g.spawn(1)
	g.awaitSync(4 * time.Second)
	g.sim.Run(20 * time.Second)
	n := g.acted[e].statuses()
	assert.Greater(t, n[plugin.FreshInput], 1100)
	assert.Less(t, n[plugin.RepeatedInput]+n[plugin.NoInput], 40, "a third is lost")
	jumped := g.acted[e].jumps()
	assert.Greater(t, len(jumped), 110)
	for tick, jump := range jumped {
		assert.Equal(t, uint8(tick/10)%200+1, jump)
		assert.Zero(t, tick%10)
	}
}

// While no input arrives, the last one is repeated without its events. After a second no input
// acts. A late input never acts.
//
// Proves: I5
func TestAMissingInputRepeatsTheLast(t *testing.T) {
	g := newInputGame(t, rough(40*ms, 0, 0))
	c := g.join(1)
	c.do = func(_ entangle.Tick, _ ecs.Entity, s *steer) { s.Move, s.Jump = 5, 9 }
	e := g.spawn(1)
	g.awaitSync(4 * time.Second)
	g.sim.Run(time.Second)
	c.Cut()
	from := g.server.Tick()
	g.sim.Run(3 * time.Second)
	silent := g.server.Tick()
	c.Restore()
	g.sim.Run(3 * time.Second)

	tick := from
	for ; g.acted[e][tick].Status == plugin.FreshInput; tick++ {
	}
	last := g.acted[e][tick-1].Input
	require.EqualValues(t, 9, last.Jump)
	last.Jump = 0
	for i := range entangle.Tick(60) {
		require.Equal(t, acted{last, plugin.RepeatedInput}, g.acted[e][tick+i], "tick %d of the gap", i)
	}
	for ; tick != silent; tick++ {
		if tick.Sub(from) > 120 {
			require.Equal(t, acted{}, g.acted[e][tick], "tick %d", tick)
		}
	}
	assert.Equal(t, plugin.FreshInput, g.acted[e][g.server.Tick()].Status, "it is heard again")
	assert.NotZero(t, g.server.Stats().Inputs.Missing)
}

// A player can send that it has no input, which differs from an input that is lost: then nothing is
// repeated, on either side.
//
// In place of a lost input the previous state is repeated: an input, or none.
//
// Proves: I5
func TestNoInputIsNotALostInput(t *testing.T) {
	g := newInputGame(t, rough(40*ms, 0, 0.1))
	c := g.join(1)
	c.do = func(_ entangle.Tick, _ ecs.Entity, s *steer) { s.Move = 5 }
	c.none = func(tick entangle.Tick) bool { return tick%3 == 0 }
	e := g.spawn(1)
	g.awaitSync(4 * time.Second)
	g.sim.Run(5 * time.Second)
	mine, none, lost := c.of(e), 0, 0
	for tick, a := range g.acted[e] {
		switch {
		case a.Status == plugin.RepeatedInput:
			lost++
		case a == acted{} && tick%3 != 0:
			lost++
			assert.Equal(t, acted{}, g.acted[e][tick-1], "tick %d", tick)
		case tick%3 == 0:
			none++
			assert.Equal(t, [2]acted{}, [2]acted{a, mine[tick]})
		default:
			require.Equal(t, mine[tick], a, "tick %d", tick)
		}
	}
	assert.Greater(t, none, 90)
	assert.Less(t, lost, 10)
	for _, h := range g.received[e] {
		assert.True(t, h.Tick%3 != 0 || h.Status == plugin.RepeatedInput)
	}
}
