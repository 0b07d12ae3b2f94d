package oracle

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
	"github.com/entangle-ecs/entangle/protocol"
)

// grain is a component of one byte.
type grain struct{ Value uint8 }

// fixture is the server's history of a few entities with a grain each, and a client.
type watchFixture struct {
	Watch
	t          testing.TB
	world      ecs.World
	components []*registry.Component
	entities   []ecs.Entity
	next       []inspect.Mirrored // by entity; zero if the entity does not exist
	client     inspect.Mirror
	joins      bool
}

// watcher is the client of a history.
const watcher entangle.ClientID = 7

func newWatchFixture(t testing.TB, entities int) *watchFixture {
	p := protocol.New(protocol.Config{Name: "grains"})
	protocol.Component[grain](p)
	h := &watchFixture{
		Watch: Watch{history: newHistory(), clients: map[*ecs.World]*clientState{}}, t: t, components: registry.Of(p).Components,
		world: ecs.NewWorld(), next: make([]inspect.Mirrored, entities),
	}
	marker := ecs.ComponentID[components.Replicate](&h.world)
	for range entities {
		h.entities = append(h.entities, h.world.NewEntity(marker))
	}
	return h
}

// setEntity gives an entity a group and a value in the next tick.
func (h *watchFixture) setEntity(entity int, group components.Group, value byte) {
	h.next[entity] = inspect.Mirrored{Entity: h.entities[entity], Values: h.grainOf(value)}
	h.replicateOf(entity).Group = group
}

func (h *watchFixture) replicateOf(entity int) *components.Replicate {
	return (*components.Replicate)(h.world.Get(h.entities[entity], ecs.ComponentID[components.Replicate](&h.world)))
}

func (h *watchFixture) grainOf(value byte) []inspect.MirroredValue {
	return []inspect.MirroredValue{{Component: 0, Wire: []byte{value}}}
}

func (h *watchFixture) pauseEntity(entity int) {
	h.next[entity] = inspect.Mirrored{Entity: h.entities[entity], Paused: true}
}

func (h *watchFixture) removeEntity(entity int) { h.next[entity] = inspect.Mirrored{} }

// endTick ends a tick.
func (h *watchFixture) endTick(tick entangle.Tick) {
	m := inspect.Mirror{Tick: tick}
	var names []inspect.Named
	for i, e := range h.next {
		if !e.Entity.IsZero() {
			m.Entities = append(m.Entities, e)
			names = append(names, inspect.Named{ID: uint64(i + 1), Entity: e.Entity})
		}
	}
	require.True(h.t, h.recordServer(&m, newVisibility(&h.world, h.components, ownedOnly{}), []entangle.ClientID{watcher}))
	h.recordIDs(watcher, names)
}

// addReplica gives the client an entity as of a tick, in the group with a handle, or in no group if
// the handle is 0.
func (h *watchFixture) addReplica(entity int, handle uint32, tick entangle.Tick, value byte) {
	id := uint64(entity + 1)
	h.client.Entities = append(h.client.Entities, inspect.Mirrored{ID: id, Entity: h.entities[entity], Tick: tick, Values: h.grainOf(value)})
	if handle == 0 {
		return
	}
	for i := range h.client.Groups {
		if g := &h.client.Groups[i]; g.Handle == handle {
			g.Tick, g.Members = max(g.Tick, tick), append(g.Members, id)
			return
		}
	}
	h.client.Groups = append(h.client.Groups, inspect.MirroredGroup{Handle: handle, Tick: tick, Members: []uint64{id}})
}

// setGroupTick sets the tick of a group of the client.
func (h *watchFixture) setGroupTick(handle uint32, tick entangle.Tick) {
	for i := range h.client.Groups {
		if g := &h.client.Groups[i]; g.Handle == handle {
			g.Tick = tick
			return
		}
	}
	h.client.Groups = append(h.client.Groups, inspect.MirroredGroup{Handle: handle, Tick: tick})
}

// expect expects that the client is correct, or is reported with a reason. Then it clears the
// client's replicas.
func (h *watchFixture) expect(says string) {
	h.t.Helper()
	m := h.client
	m.Components = h.components
	h.client = inspect.Mirror{}
	if err := h.checkState(watcher, nil, &m, h.joins); says == "" {
		require.NoError(h.t, err)
	} else {
		assert.ErrorContains(h.t, err, says)
	}
}

func TestAGroupIsShownAsItWasAtOneTick(t *testing.T) {
	h := newWatchFixture(t, 4)
	for tick := entangle.Tick(1); tick <= 9; tick++ {
		h.setEntity(0, 5, byte(tick))
		h.setEntity(1, 5, byte(tick/3))
		h.setEntity(2, 0, byte(tick))
		h.setEntity(3, 6, byte(tick))
		h.endTick(tick)
	}
	h.addReplica(1, 1, 3, 1)
	h.addReplica(0, 1, 4, 4)
	h.expect("") // the second entity did not change: the group is at tick 4
	h.addReplica(0, 1, 3, 3)
	h.addReplica(1, 1, 3, 1)
	h.setGroupTick(1, 4)
	h.expect("grain is 3, the server's is 4")
	h.addReplica(0, 1, 4, 4)
	h.expect("its group 1 at tick 4 lacks the server's {2 0}")
	h.addReplica(0, 1, 4, 4)
	h.addReplica(1, 1, 4, 1)
	h.addReplica(3, 1, 4, 4)
	h.expect("has the server's {4 0}, which was elsewhere")
	h.addReplica(2, 1, 4, 4)
	h.addReplica(0, 2, 9, 9)
	h.addReplica(1, 2, 9, 3)
	h.addReplica(3, 3, 6, 6)
	h.expect("") // each entity has its own tick
	h.addReplica(2, 1, 3, 3)
	h.expect("went back from tick 4 to 3")
	h.addReplica(2, 1, 10, 9)
	h.expect("is at tick 10, the server at 9")
	h.addReplica(2, 1, 9, 9)
	h.addReplica(2, 0, 9, 9)
	h.expect(errSameID.Error())
}

func TestAnEntityIsInOneGroup(t *testing.T) {
	h := newWatchFixture(t, 3)
	h.setEntity(0, 5, 1)
	h.setEntity(1, 5, 1)
	h.setEntity(2, 6, 1)
	h.endTick(1)
	h.setEntity(1, 6, 2)
	h.endTick(2)
	show := func(at uint32, tick entangle.Tick, value byte) {
		h.addReplica(0, 5, 1, 1)
		h.setGroupTick(5, tick)
		h.addReplica(1, at, tick, value)
	}
	show(5, 1, 1)
	h.expect("")
	show(0, 1, 1)
	h.expect("is in no group")
	h.addReplica(0, 5, 1, 1)
	h.setGroupTick(5, 2)
	h.addReplica(1, 6, 2, 2)
	h.expect("lacks the server's {3 0}")
	h.addReplica(0, 5, 1, 1)
	h.setGroupTick(5, 2)
	h.addReplica(2, 6, 1, 1)
	h.setGroupTick(6, 2)
	h.addReplica(1, 6, 2, 2)
	h.expect("")
	show(5, 1, 1)
	h.expect("went back from tick 2 to 1")
}

func TestAPausedMemberStaysInItsGroup(t *testing.T) {
	h := newWatchFixture(t, 2)
	h.setEntity(0, 5, 1)
	h.setEntity(1, 5, 1)
	h.endTick(1)
	h.setEntity(0, 5, 2)
	h.pauseEntity(1)
	h.endTick(2)
	h.setEntity(0, 5, 3)
	h.endTick(3)
	h.addReplica(0, 1, 2, 2)
	h.expect("") // a client that joined late need not have it
	h.addReplica(0, 2, 2, 2)
	h.addReplica(1, 2, 1, 9)
	h.setGroupTick(2, 2)
	h.expect("") // any value is allowed
	h.addReplica(0, 2, 3, 3)
	h.expect("its group 2 at tick 3 has lost the server's {2 0}, which is paused")
	h.setEntity(1, 0, 4)
	h.endTick(4)
	h.addReplica(0, 2, 3, 3)
	h.setGroupTick(2, 4)
	h.addReplica(1, 3, 4, 4)
	h.expect("")
	h.removeEntity(1)
	h.endTick(5)
	h.addReplica(1, 3, 5, 4)
	h.expect("is at tick 5, where the server had no such entity")
}

func TestAClientHasNoHiddenEntity(t *testing.T) {
	h := newWatchFixture(t, 2)
	h.setEntity(0, 5, 1)
	h.setEntity(1, 5, 1)
	h.endTick(1)
	h.replicateOf(1).Target = components.Nobody
	h.endTick(2)
	show := func(tick entangle.Tick, entities ...int) {
		for _, e := range entities {
			h.addReplica(e, 1, 1, 1)
		}
		h.setGroupTick(1, tick)
	}
	show(1, 0, 1)
	h.expect("")
	show(2, 0, 1)
	h.expect("its {2 0} at tick 2 is a copy of the server's {2 0}, which it may not see")
	show(2, 0)
	h.expect("")
	h.pauseEntity(1)
	h.endTick(3)
	show(3, 0)
	h.expect("")
	show(3, 0, 1)
	h.expect("which it may not see")
	h.setEntity(1, 5, 1)
	h.replicateOf(1).Target = components.NotOwner
	h.endTick(4)
	show(4, 0)
	h.expect("its group 1 at tick 4 lacks the server's {2 0}")
	show(4, 0, 1)
	h.expect("")
}

func TestAJoinedClientHasAllEntitiesSinceItsConnection(t *testing.T) {
	for missing, says := range map[int]string{
		0: "it has joined without the server's {1 0}, which was there since tick 2", 1: "", 2: "", 3: "", 4: "",
	} {
		h := newWatchFixture(t, 5)
		for tick := entangle.Tick(1); tick <= 4; tick++ {
			for e := range 5 {
				if h.setEntity(e, 0, 1); e == 1 && tick < 3 || e == 4 && tick > 3 {
					h.removeEntity(e)
				}
			}
			if tick == 3 {
				h.pauseEntity(2)
				h.recordConnected([]entangle.ClientID{watcher})
			}
			h.replicateOf(3).Target = components.Nobody
			h.endTick(tick)
		}
		h.joins = true
		for e := range 3 {
			if e != missing {
				h.addReplica(e, uint32(10+e), 4, 1)
			}
		}
		h.expect(says)
	}
}
