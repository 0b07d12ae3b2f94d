package sink

import (
	"log/slog"
	"testing"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type (
	steering struct {
		Aim  ecs.Entity
		Turn int32
		Fire bool `net:"event"`
	}
	nodding struct{}
	hull    struct{ X float32 }
)

func steeredProtocol(t testing.TB) []*registry.Component {
	p := protocol.New(protocol.Config{Name: "presence test"})
	protocol.Input[steering](p)
	protocol.Input[nodding](p)
	protocol.Component[hull](p)
	require.NoError(t, registry.Seal(p))
	return registry.Of(p).Components
}

// steeredGame is a world of entities with inputs, which is sent to two copies.
type steeredGame struct {
	*copyGame
	marker, steering, nodding, hull ecs.ID
}

func newSteeredGame(t *testing.T) *steeredGame {
	infos := steeredProtocol(t)
	w := ecs.NewWorld()
	collector, err := source.NewCollector(&w, infos, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	g := &copyGame{t: t, world: &w, collector: collector, peer: collector.World.NewPeer(), room: 1000}
	g.copies = [2]*copyOf{newCopyOf(infos, false), newCopyOf(infos, true)}
	return &steeredGame{
		g, ecs.ComponentID[components.Replicate](&w), ecs.ComponentID[steering](&w), ecs.ComponentID[nodding](&w), ecs.ComponentID[hull](&w),
	}
}

// steer writes inputs like a game that applies them.
func (g *steeredGame) steer(e ecs.Entity, turn int32) {
	*(*steering)(g.world.Get(e, g.steering)) = steering{Aim: e, Turn: turn, Fire: true}
}

// far returns the input of a copy's n-th entity, or nil if it has none.
func (c *copyOf) far(n int) *steering {
	return (*steering)(c.world.Get(c.applier.Replicas.entities[n].entity, ecs.ComponentID[steering](c.world)))
}

func (g *steeredGame) took() []string {
	events := g.copies[0].events
	require.Equal(g.t, g.copies[1].events, events)
	g.copies[0].events, g.copies[1].events = nil, nil
	for i := range events {
		events[i] = events[i][:len(events[i])-len("{0 0}")]
	}
	return events
}

const inputName = "github.com/entangle-ecs/entangle/internal/world/sink.steering"

// Replicas have an input exactly where their entity has one, with the values that their own side
// wrote.
func TestThePresenceOfAnInputIsReplicated(t *testing.T) {
	g := newSteeredGame(t)
	e := g.world.NewEntity(g.marker, g.hull, g.steering, g.nodding)
	g.steer(e, 5)
	g.send()
	events := g.took()
	assert.Contains(t, events, inputName+" inserted")
	for _, c := range g.copies {
		require.NotNil(t, c.far(0))
		assert.Equal(t, steering{}, *c.far(0), "a new one is zero")
		assert.True(t, c.world.Has(c.applier.Replicas.entities[0].entity, ecs.ComponentID[nodding](c.world)))
		c.far(0).Turn = 9
	}

	g.world.Remove(e, g.nodding)
	(*hull)(g.world.Get(e, g.hull)).X = 3
	g.steer(e, 6)
	g.send()
	for _, c := range g.copies {
		assert.EqualValues(t, 9, c.far(0).Turn, "what the client wrote stays when the entity changes")
	}

	g.world.Remove(e, g.steering)
	g.send()
	assert.Contains(t, g.took(), inputName+" removed")
	for _, c := range g.copies {
		assert.Nil(t, c.far(0))
	}
	g.world.Add(e, g.steering)
	g.send()
	assert.Equal(t, []string{inputName + " inserted"}, g.took())
	for _, c := range g.copies {
		assert.Equal(t, steering{}, *c.far(0))
	}
}

// An entity that is sent again in full, as after a change of group, keeps the inputs of its
// replicas.
func TestAStateThatIsWholeLeavesInputsAlone(t *testing.T) {
	g := newSteeredGame(t)
	e, other := g.world.NewEntity(g.marker, g.hull, g.steering), g.world.NewEntity(g.marker, g.hull)
	(*components.Replicate)(g.world.Get(other, g.marker)).Group = 1
	g.send()
	for _, c := range g.copies {
		c.far(0).Turn = 9
	}
	g.took()
	(*components.Replicate)(g.world.Get(e, g.marker)).Group = 1
	g.send()
	for _, c := range g.copies {
		require.EqualValues(t, 9, c.far(0).Turn)
		c.world.Remove(c.applier.Replicas.entities[0].entity, ecs.ComponentID[steering](c.world))
	}
	(*components.Replicate)(g.world.Get(e, g.marker)).Group = 2
	g.send()
	for _, c := range g.copies {
		require.NotNil(t, c.far(0), "what the game removed is there again")
		assert.Equal(t, steering{}, *c.far(0))
	}
	assert.Empty(t, g.took(), "none of it is an update")
}

// A new input is zero, even in memory that another entity used before.
func TestANewInputIsZeroWhereOneWasBefore(t *testing.T) {
	g := newSteeredGame(t)
	first := g.world.NewEntity(g.marker, g.steering)
	g.send()
	for _, c := range g.copies {
		*c.far(0) = steering{Turn: -1, Fire: true}
	}
	g.world.RemoveEntity(first)
	g.send()
	g.world.NewEntity(g.marker, g.steering)
	g.send()
	for _, c := range g.copies {
		assert.Equal(t, steering{}, *c.far(0))
	}
}

// Values written to inputs each tick are never compared.
func TestInputsThatChangeCostNothing(t *testing.T) {
	g := newSteeredGame(t)
	var players []ecs.Entity
	for i := range 10000 {
		e := g.world.NewEntity(g.marker, g.hull)
		if i < 200 {
			g.world.Add(e, g.steering)
			players = append(players, e)
		}
	}
	g.send()
	before := g.copies[0].receiver.Stats()
	for turn := range int32(20) {
		for _, e := range players {
			g.steer(e, turn+1)
		}
		g.tick++
		require.NoError(t, g.collector.Observe(g.tick))
		require.False(t, g.peer.ActionsDue())
		require.Empty(t, g.frame())
	}
	allocs := testing.AllocsPerRun(10, func() {
		g.steer(players[0], int32(g.tick))
		g.tick++
		_ = g.collector.Observe(g.tick)
	})
	assert.Zero(t, allocs)
	assert.Equal(t, before, g.copies[0].receiver.Stats())
}

// An override decides which clients get an input, as for any component.
func TestAnOverrideDecidesWhoSeesAnInput(t *testing.T) {
	g := newSteeredGame(t)
	g.collector.Admit(1, g.peer)
	e := g.world.NewEntity(g.marker, g.hull, g.steering)
	comp, ok := g.collector.Sent.Component(g.collector.Sent.Types[2])
	require.True(t, ok)
	g.collector.Override(e, comp, source.TargetsOf(g.world).Only(2))
	g.send()
	assert.Nil(t, g.copies[0].far(0))
	g.collector.ClearOverride(e, comp)
	g.send()
	assert.NotNil(t, g.copies[0].far(0))
	m, err := g.collector.Mirror(steeredProtocol(t))
	require.NoError(t, err)
	far := g.copies[0].applier.Mirror(steeredProtocol(t))
	assert.Equal(t, m.Entities[0].Values, far.Entities[0].Values, "without a value both are equal")
}

// A peer that updates an input violates the protocol. The update is refused before anything is
// written.
func TestAnUpdateOfAnInputIsRefused(t *testing.T) {
	for _, both := range []bool{false, true} {
		c := newCopyOf(steeredProtocol(t), false)
		comps := set.Mask{}
		comps.Set(2)
		c.applier.Begin(1, 1)
		slot := c.applier.Spawn(repl.ID{Group: 1})
		c.applier.Member(slot, true)
		var r bits.Reader
		r.Reset([]byte{1, 2, 3, 4, 5, 6, 7, 8})
		require.NoError(t, c.applier.Insert(&r, 0, nobody{}))
		require.NoError(t, c.applier.Insert(&r, 2, nobody{}))
		c.applier.Commit()
		if both {
			comps.Set(0)
		}
		c.far(int(slot)).Turn = 7
		body := func() hull {
			return *(*hull)(c.world.Get(c.applier.Replicas.entities[slot].entity, ecs.ComponentID[hull](c.world)))
		}
		want := body()
		require.ErrorIs(t, updateEntity(c.applier, slot, entangle.Tick(2), &comps, &r, nobody{}), errNoValue)
		assert.EqualValues(t, 7, c.far(int(slot)).Turn)
		assert.Equal(t, want, body())
	}
}

// nobody resolves every index to the zero entity.
type nobody struct{}

// At implements receiver.Refs.
func (nobody) At(uint32) (receiver.Target, bool) { return receiver.Target{Slot: repl.NoSlot}, true }
