package netsim

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

// history is the server's history of a few entities with a grain each, and a client.
type history struct {
	watch
	t        testing.TB
	world    ecs.World
	infos    []*registry.Component
	entities []ecs.Entity
	now      []inspect.Mirrored // by entity; zero: does not exist
	client   inspect.Mirror
	joins    bool
}

// watcher is the client of a history.
const watcher entangle.ClientID = 7

func newHistory(t testing.TB, entities int) *history {
	p := protocol.New(protocol.Config{Name: "grains"})
	protocol.Component[grain](p)
	h := &history{
		watch: watch{past: newPast(), held: map[*ecs.World]*holding{}}, t: t, infos: registry.Of(p).Components,
		world: ecs.NewWorld(), now: make([]inspect.Mirrored, entities),
	}
	marker := ecs.ComponentID[components.Replicate](&h.world)
	for range entities {
		h.entities = append(h.entities, h.world.NewEntity(marker))
	}
	return h
}

// is gives an entity a group and a value in the next tick.
func (h *history) is(entity int, group components.Group, value byte) {
	h.now[entity] = inspect.Mirrored{Entity: h.entities[entity], Values: h.grain(value)}
	h.marker(entity).Group = group
}

func (h *history) marker(entity int) *components.Replicate {
	return (*components.Replicate)(h.world.Get(h.entities[entity], ecs.ComponentID[components.Replicate](&h.world)))
}

func (h *history) grain(value byte) []inspect.MirroredValue {
	return []inspect.MirroredValue{{Component: 0, Wire: []byte{value}}}
}

func (h *history) paused(entity int) {
	h.now[entity] = inspect.Mirrored{Entity: h.entities[entity], Paused: true}
}

func (h *history) gone(entity int) { h.now[entity] = inspect.Mirrored{} }

// passes ends a tick.
func (h *history) passes(tick entangle.Tick) {
	m := inspect.Mirror{Tick: tick}
	var names []inspect.Named
	for i, e := range h.now {
		if !e.Entity.IsZero() {
			m.Entities = append(m.Entities, e)
			names = append(names, inspect.Named{ID: uint64(i + 1), Entity: e.Entity})
		}
	}
	require.True(h.t, h.record(&m, newSight(&h.world, h.infos, ownedOnly{}), []entangle.ClientID{watcher}))
	h.recordNames(watcher, names)
}

// shows gives the client an entity as of a tick, in the group of a handle, or in none for 0.
func (h *history) shows(entity int, handle uint32, tick entangle.Tick, value byte) {
	id := uint64(entity + 1)
	h.client.Entities = append(h.client.Entities, inspect.Mirrored{ID: id, Entity: h.entities[entity], Tick: tick, Values: h.grain(value)})
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

// comes sets the tick of a group of the client.
func (h *history) comes(handle uint32, tick entangle.Tick) {
	for i := range h.client.Groups {
		if g := &h.client.Groups[i]; g.Handle == handle {
			g.Tick = tick
			return
		}
	}
	h.client.Groups = append(h.client.Groups, inspect.MirroredGroup{Handle: handle, Tick: tick})
}

// fine expects the client to be correct, or wrong for a reason; then it clears its replicas.
func (h *history) fine(says string) {
	h.t.Helper()
	m := h.client
	m.Components = h.infos
	h.client = inspect.Mirror{}
	if err := h.check(watcher, nil, &m, h.joins, false); says == "" {
		require.NoError(h.t, err)
	} else {
		assert.ErrorContains(h.t, err, says)
	}
}

func TestAGroupIsShownAsItWasAtOneTick(t *testing.T) {
	h := newHistory(t, 4)
	for tick := entangle.Tick(1); tick <= 9; tick++ {
		h.is(0, 5, byte(tick))
		h.is(1, 5, byte(tick/3))
		h.is(2, 0, byte(tick))
		h.is(3, 6, byte(tick))
		h.passes(tick)
	}
	h.shows(1, 1, 3, 1)
	h.shows(0, 1, 4, 4)
	h.fine("") // the second did not change: the group is at tick 4
	h.shows(0, 1, 3, 3)
	h.shows(1, 1, 3, 1)
	h.comes(1, 4)
	h.fine("grain is 3, the server's is 4")
	h.shows(0, 1, 4, 4)
	h.fine("its group 1 at tick 4 lacks the server's {2 0}")
	h.shows(0, 1, 4, 4)
	h.shows(1, 1, 4, 1)
	h.shows(3, 1, 4, 4)
	h.fine("has the server's {4 0}, which was elsewhere")
	h.shows(2, 1, 4, 4)
	h.shows(0, 2, 9, 9)
	h.shows(1, 2, 9, 3)
	h.shows(3, 3, 6, 6)
	h.fine("") // each has its own tick
	h.shows(2, 1, 3, 3)
	h.fine("went back from tick 4 to 3")
	h.shows(2, 1, 10, 9)
	h.fine("is at tick 10, the server at 9")
	h.shows(2, 1, 9, 9)
	h.shows(2, 0, 9, 9)
	h.fine(errTwice.Error())
}

func TestWhatMovesMayBeInNoGroup(t *testing.T) {
	h := newHistory(t, 3)
	h.is(0, 5, 1)
	h.is(1, 5, 1)
	h.is(2, 6, 1)
	h.passes(1)
	h.is(1, 6, 2)
	h.passes(2)
	show := func(at uint32, tick entangle.Tick, value byte) {
		h.shows(0, 5, 1, 1)
		h.comes(5, tick)
		h.shows(1, at, tick, value)
	}
	show(5, 1, 1)
	h.fine("")
	show(0, 1, 1)
	h.fine("lacks the server's {2 0}") // group 5 is still at tick 1
	h.shows(0, 5, 1, 1)
	h.comes(5, 2)
	h.shows(1, 0, 1, 1)
	h.fine("")
	h.shows(0, 5, 1, 1)
	h.comes(5, 2)
	h.shows(1, 6, 2, 2)
	h.fine("lacks the server's {3 0}")
	h.shows(0, 5, 1, 1)
	h.comes(5, 2)
	h.shows(2, 6, 1, 1)
	h.comes(6, 2)
	h.shows(1, 6, 2, 2)
	h.fine("")
	show(5, 1, 1)
	h.fine("went back from tick 2 to 1")
}

func TestAPausedMemberStaysInItsGroup(t *testing.T) {
	h := newHistory(t, 2)
	h.is(0, 5, 1)
	h.is(1, 5, 1)
	h.passes(1)
	h.is(0, 5, 2)
	h.paused(1)
	h.passes(2)
	h.is(0, 5, 3)
	h.passes(3)
	h.shows(0, 1, 2, 2)
	h.fine("") // a late joiner does without
	h.shows(0, 2, 2, 2)
	h.shows(1, 2, 1, 9)
	h.comes(2, 2)
	h.fine("") // with any value
	h.shows(0, 2, 3, 3)
	h.fine("its group 2 at tick 3 has lost the server's {2 0}, which is paused")
	h.is(1, 0, 4)
	h.passes(4)
	h.shows(0, 2, 3, 3)
	h.comes(2, 4)
	h.shows(1, 3, 4, 4)
	h.fine("")
	h.gone(1)
	h.passes(5)
	h.shows(1, 3, 5, 4)
	h.fine("is at tick 5, where the server had no such entity")
}

func TestNobodyHoldsWhatItMayNotSee(t *testing.T) {
	h := newHistory(t, 2)
	h.is(0, 5, 1)
	h.is(1, 5, 1)
	h.passes(1)
	h.marker(1).Target = components.Nobody
	h.passes(2)
	show := func(tick entangle.Tick, entities ...int) {
		for _, e := range entities {
			h.shows(e, 1, 1, 1)
		}
		h.comes(1, tick)
	}
	show(1, 0, 1)
	h.fine("")
	show(2, 0, 1)
	h.fine("its {2 0} at tick 2 is a copy of the server's {2 0}, which it may not see")
	show(2, 0)
	h.fine("")
	h.paused(1)
	h.passes(3)
	show(3, 0)
	h.fine("")
	show(3, 0, 1)
	h.fine("which it may not see")
	h.is(1, 5, 1)
	h.marker(1).Target = components.NotOwner
	h.passes(4)
	show(4, 0)
	h.fine("its group 1 at tick 4 lacks the server's {2 0}")
	show(4, 0, 1)
	h.fine("")
}

func TestWhoHasJoinedHasAllThatWasThere(t *testing.T) {
	for missing, says := range map[int]string{
		0: "it has joined without the server's {1 0}, which was there since tick 2", 1: "", 2: "", 3: "", 4: "",
	} {
		h := newHistory(t, 5)
		for tick := entangle.Tick(1); tick <= 4; tick++ {
			for e := range 5 {
				if h.is(e, 0, 1); e == 1 && tick < 3 || e == 4 && tick > 3 {
					h.gone(e)
				}
			}
			if tick == 3 {
				h.paused(2)
				h.recordConnected([]entangle.ClientID{watcher})
			}
			h.marker(3).Target = components.Nobody
			h.passes(tick)
		}
		h.joins = true
		for e := range 3 {
			if e != missing {
				h.shows(e, 0, 4, 1)
			}
		}
		h.fine(says)
	}
}
