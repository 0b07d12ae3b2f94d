package plugin_test

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/protocol"
)

// dart is the blueprint of what each input of the arena fires.
type dart struct {
	components.At
	Go uint8
}

// dartProtocol is arenaProtocol with intents.
func dartProtocol() *protocol.Protocol { return dartProtocolAt(0) }

func dartProtocolAt(tickRate int) *protocol.Protocol {
	p := arenaProtocolAt(tickRate)
	protocol.Component[components.Prespawned](p)
	protocol.Blueprint(p, func(*ecs.World, ecs.Entity, dart) struct{ pin } { return struct{ pin }{} })
	protocol.Intent(p, func(_ ecs.Entity, in thrust) (dart, bool) { return dart{Go: in.Go}, true }, components.Replicate{}).
		Accept(func(_ *ecs.World, _ ecs.Entity, d dart) bool { return d.Go < 3 })
	return p
}

type pin struct{ Point int32 }

// darts returns the ticks of the darts of the world, and how many are assembled.
func (a *arena) darts() (ticks map[entangle.Tick]int, assembled int) {
	ticks = map[entangle.Tick]int{}
	for q := generic.NewFilter1[dart]().Query(a.world); q.Next(); {
		ticks[q.Get().Tick]++
		if q.Has(ecs.ComponentID[pin](a.world)) {
			assembled++
		}
	}
	return ticks, assembled
}

// Inputs that a server does not take fire nothing: of ticks that have run, of ticks that are too far away,
// of entities that another client controls, that nobody controls, that are not seen, and that are gone. Nor
// do inputs that arrive a second time, or again with other values. What the game does not know is refused.
//
// Proves: T13
func TestForgedInputsFireNothing(t *testing.T) {
	a := newArenaOf(t, dartProtocol)
	a.alone()
	a.strike(20, nil)
	for e := range a.dartEntities() {
		a.world.RemoveEntity(e)
	}
	stats := a.server.Stats().Inputs
	fired := func() uint64 { return a.server.Stats().Inputs.Intents - stats.Intents }
	for _, l := range []forged{
		{distance: 65},
		{distance: 100, more: 20},
		{distance: 1 << 29},
		{distance: -1},
		{distance: -256, more: 3},
		{distance: -257},
		{distance: -1 << 29},
		{distance: 5, of: wireName(1)},
		{distance: 5, of: wireName(3)},
		{distance: 5, of: wireName(4)},
		{distance: 5, of: wireName(5)},
		{distance: 5, of: wireName(77)},
	} {
		l.typ = thrustType
		a.came(l)
		assert.Zero(t, fired(), "%+v", l)
	}
	ticks, _ := a.darts()
	assert.Empty(t, ticks)

	mine := forged{typ: thrustType, of: wireName(0), distance: 20, more: 3}
	now := a.server.Tick()
	a.came(mine)
	assert.EqualValues(t, 4, fired())
	for range 3 {
		a.strike(1, func() { a.sendInputs(now, frameOf(mine)) })
		mine.epoch = (mine.epoch + 1) % 8
	}
	ticks, assembled := a.darts()
	assert.Equal(t, map[entangle.Tick]int{now + 17: 1, now + 18: 1, now + 19: 1, now + 20: 1}, ticks)
	assert.Zero(t, assembled)
	a.strike(30, nil)
	ticks, assembled = a.darts()
	assert.Len(t, ticks, 4, "each in its tick")
	assert.Equal(t, 4, assembled)

	refused := a.server.Stats().Inputs.IntentsRefused
	for value := uint64(0); value < 16; value++ {
		a.came(forged{typ: thrustType, of: wireName(0), distance: 5, value: value})
		a.strike(6, nil)
	}
	assert.NotZero(t, a.server.Stats().Inputs.IntentsRefused-refused)
	require.True(t, a.here(raider))
	for q := generic.NewFilter1[dart]().Query(a.world); q.Next(); {
		assert.Less(t, q.Get().Go, uint8(3))
	}
}

// dartEntities returns the darts of the world.
func (a *arena) dartEntities() map[ecs.Entity]bool {
	all := map[ecs.Entity]bool{}
	for q := generic.NewFilter1[dart]().Query(a.world); q.Next(); {
		all[q.Entity()] = true
	}
	return all
}

// An input fires once, also in a game in which inputs may be more than 64 ticks ahead: a client that sends
// inputs of ticks far apart, by turns and each time with a newer epoch, gets no second shot.
//
// Proves: T13
func TestTicksFarApartFireOnce(t *testing.T) {
	a := newArenaOf(t, func() *protocol.Protocol { return dartProtocolAt(128) })
	a.alone()
	a.strike(20, nil)
	before := a.server.Stats().Inputs
	far := a.server.Tick() + 120
	for n := range uint64(20) {
		now := a.server.Tick()
		tick := [2]entangle.Tick{far, now + 5}[n%2]
		a.sendInputs(now, frameOf(forged{typ: thrustType, of: wireName(0), distance: int64(tick - now), epoch: n % 8}))
		a.game.run(1)
	}
	after := a.server.Stats().Inputs
	ticks, _ := a.darts()
	for tick, n := range ticks {
		assert.Equal(t, 1, n, "tick %d", tick)
	}
	assert.EqualValues(t, 1+10, after.Intents-before.Intents)
}

// A client that ends its connection takes its shots along, those that wait, too: they are owned entities.
func TestShotsEndWithTheirClient(t *testing.T) {
	a := newArenaOf(t, dartProtocol)
	a.alone()
	a.came(forged{typ: thrustType, of: wireName(0), distance: 40, more: 3})
	require.NotEmpty(t, a.dartEntities())
	a.server.Disconnect(raider, "")
	a.run(3)
	assert.Empty(t, a.dartEntities())
}
