package plugin_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// came sends streams in a packet of the last tick that ran, and returns the server's input
// statistics for them.
func (a *arena) came(lanes ...forged) plugin.InputStats {
	before := a.server.Stats().Inputs
	a.strike(1, func() { a.sendInputs(a.server.Tick(), frameOf(lanes...)) })
	after := a.server.Stats().Inputs
	return plugin.InputStats{
		InTime: after.InTime - before.InTime, Late: after.Late - before.Late,
		Refused: after.Refused - before.Refused, TooFar: after.TooFar - before.TooFar,
	}
}

// alone makes the raider the only player, so that only its inputs are counted.
func (a *arena) alone() {
	for _, c := range a.clients {
		c.Disconnect()
	}
	a.run(10)
}

// Of a frame that crosses an edge of the window, only the ticks inside the window count.
//
// Proves: Z11, I7
func TestTheEndsOfTheWindowOfInputs(t *testing.T) {
	a := newArena(t)
	a.alone()
	for _, c := range []struct {
		distance int64
		more     uint64
		of       repl.Handle
		want     plugin.InputStats
	}{
		{64, 0, 0, plugin.InputStats{InTime: 1}},
		{65, 0, 0, plugin.InputStats{TooFar: 1}},
		{67, 9, 0, plugin.InputStats{TooFar: 3, InTime: 6}}, // one of the ticks has arrived before
		{-256, 0, 0, plugin.InputStats{Late: 1}},
		{-257, 0, 0, plugin.InputStats{TooFar: 1}},
		{-250, 9, 0, plugin.InputStats{TooFar: 3, Late: 7}},
		{5, 9, 1, plugin.InputStats{Refused: 1}},
	} {
		l := forged{typ: thrustType, of: wireName(c.of), distance: c.distance, more: c.more}
		assert.Equal(t, c.want, a.came(l), "%+v", c)
	}
}

// A tick counts once, no matter how many entities a player drives in it and how many frames carry
// it.
func TestATickOfInputsCountsOnce(t *testing.T) {
	a := newArena(t)
	a.alone()
	one := forged{typ: thrustType, of: wireName(0), distance: 5}
	other := forged{typ: glanceType, of: wireName(0), distance: 6, more: 3}
	assert.Equal(t, plugin.InputStats{InTime: 4}, a.came(one, other))
	assert.Equal(t, plugin.InputStats{InTime: 1}, a.came(other, one))
}

// A frame with ticks that are too far away does not affect the clock's epoch either: inputs of the
// same epoch are still accepted.
//
// Proves: Z11
func TestAFarFrameEndsNoEpoch(t *testing.T) {
	a := newArena(t)
	a.alone()
	mine := forged{typ: thrustType, of: wireName(0), distance: 5}
	require.Equal(t, plugin.InputStats{InTime: 1}, a.came(mine))
	far := mine
	far.epoch, far.distance = 1, 100
	require.Equal(t, plugin.InputStats{TooFar: 1}, a.came(far))
	require.Equal(t, plugin.InputStats{InTime: 1}, a.came(mine))
}

// An input that arrives after its entity got another owner is refused in the same frame, before the
// next tick updates the streams.
//
// Proves: I8, Z13
func TestControlIsAskedForWhenAnInputArrives(t *testing.T) {
	for _, owner := range []entangle.ClientID{1, entangle.Nobody} {
		a := newArena(t)
		a.alone()
		mine := forged{typ: thrustType, of: wireName(0), distance: 5}
		require.Equal(t, plugin.InputStats{InTime: 1}, a.came(mine))
		a.game.control(a.mine, components.ControlledBy{Client: owner, Keep: true})
		require.Equal(t, plugin.InputStats{Refused: 1}, a.came(mine))
	}
}

// A client that can no longer see its entity has no network id for it.
//
// Proves: Z13
func TestAnEntityThatIsHiddenIsDrivenByNobody(t *testing.T) {
	a := newArena(t)
	a.alone()
	mine := forged{typ: thrustType, of: wireName(0), distance: 5}
	require.Equal(t, plugin.InputStats{InTime: 1}, a.came(mine))
	a.retarget(a.mine, a.targets().Only(1))
	for range 5 {
		a.strike(1, nil)
		require.Equal(t, plugin.InputStats{Refused: 1}, a.came(mine))
	}
}

// A server drops the excess inputs of a client that sends more than an honest one can, and
// disconnects the client if it does not stop.
//
// Proves: Z12
func TestWhoFloodsWithInputsHasToGo(t *testing.T) {
	a := newArena(t)
	frame := frameOf(forged{typ: thrustType, of: wireName(0), distance: 5})
	flood := func() {
		for range 300 {
			a.sendInputs(a.server.Tick(), frame)
		}
	}
	a.strike(1, flood)
	assert.InDelta(t, 300-60, a.server.Stats().Inputs.Flooded, 10)
	require.True(t, a.here(raider))
	broken := a.broken()
	for n := 0; a.here(raider); n++ {
		require.Less(t, n, 60)
		a.strike(1, flood)
	}
	assert.Equal(t, broken+1, a.broken())
}

// A client is charged for each input stream, for the ticks of a stream and for its bits, even if
// they are refused. Otherwise the work of reading them would not count towards its quota.
//
// Proves: Z21
func TestLanesOfInputsArePartOfTheWorkOfAClient(t *testing.T) {
	a := newArena(t)
	a.alone()
	work := func(lanes ...forged) uint64 {
		before := a.server.Stats().Work
		a.strike(1, func() { a.sendInputs(a.server.Tick(), frameOf(lanes...)) })
		require.True(t, a.here(raider))
		return a.server.Stats().Work - before
	}
	a.strike(60, nil)   // the packets of its join are acknowledged
	none := wireName(1) // an entity that does not belong to the raider
	one := forged{typ: thrustType, of: wireName(0), distance: 5}
	for name, l := range map[string]forged{
		"its own":           one,
		"of another":        {typ: thrustType, of: none, distance: 5},
		"of a distant tick": {typ: thrustType, of: wireName(0), distance: -600},
	} {
		least := work(l)
		lanes := make([]forged, 11)
		for i := range lanes {
			lanes[i] = l
		}
		assert.EqualValues(t, (2+1)*10, work(lanes...)-least, name)
		l.more = 63
		assert.EqualValues(t, 4, work(l)-least, "64 ticks %s", name)
		l.body = func(w *bits.Writer) {
			for n := range 64 {
				w.Bits(uint64(2*(n%2)), 2) // no input and a gap in turn
				if n < 63 {
					w.Bool(true)
				}
			}
		}
		assert.GreaterOrEqual(t, work(l)-least, uint64(4+(192-32)/32), "64 ticks %s, one by one", name)
	}
}

// A client cannot claim to have seen what is far ahead of the server's last tick, or too old. Each tick counts
// once, in whichever frames it comes.
//
// Proves: I13
func TestImpossibleScreensAreCounted(t *testing.T) {
	a := newArena(t)
	a.alone()
	// claim sends an input for a tick after the server's, in a packet of another tick after it, which says that
	// the screen showed what was some ticks before the packet's.
	claim := func(tick, packet, back int64) uint64 {
		before := a.server.Stats().Inputs.SeenClamped
		var w bits.Writer
		w.Uvarint(1)
		w.Varint(tick - packet)
		w.Uvarint(uint64(back))
		w.Bits(0, 8)
		w.Bool(false)
		w.Uvarint(0)
		appendLanes(&w, []forged{{typ: thrustType, of: wireName(0), distance: tick - packet}})
		frame := w.Finish()
		a.strike(1, func() {
			a.sendInputs(a.server.Tick()+entangle.Tick(packet), frame)
			a.sendInputs(a.server.Tick()+entangle.Tick(packet), frame)
		})
		require.True(t, a.here(raider))
		return a.server.Stats().Inputs.SeenClamped - before
	}
	assert.Zero(t, claim(10, 0, 5), "a usual age")
	assert.EqualValues(t, 1, claim(10, 0, 2000), "far too old")
	assert.EqualValues(t, 1, claim(10, 70, 27), "so far ahead of the server's tick")
	assert.Zero(t, claim(-5, 0, 2000), "the tick has run")
	assert.Zero(t, claim(300, 0, 2000), "the tick is too far away")
}
