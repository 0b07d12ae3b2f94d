package plugin_test

import (
	"strings"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/plugin"
)

// board is a resource with every kind of field that a resource may have.
type board struct {
	Title  string
	Points []int32
	Leader ecs.Entity
	Team   []ecs.Entity
	Seats  [2]struct{ Who ecs.Entity }
	Local  int `net:"-"`
}

type weather struct{ Wind, Rain float32 }

type pile struct {
	Bytes []byte `net:"max=100000"`
}

// stage is a game with clients that record the events of a resource.
type stage[T any] struct {
	*game
	heard []*heardOf[T]
}

type heardOf[T any] struct {
	client                     *player
	inserted, updated, removed int
}

// value returns the client's resource, or nil if there is none.
func (h *heardOf[T]) value() *T {
	v, _ := h.client.world.Resources().Get(ecs.ResourceID[T](h.client.world)).(*T)
	return v
}

func (h *heardOf[T]) counts() [3]int { return [3]int{h.inserted, h.updated, h.removed} }

func (s *stage[T]) enter(id entangle.ClientID) *heardOf[T] {
	h := &heardOf[T]{}
	h.client = s.join(id, func(c *plugin.Client) {
		c.AddSystem(plugin.AfterReceive, plugin.Func(func(w *ecs.World) func() {
			inserted, updated := plugin.NewReader[plugin.ResourceInserted[T]](w), plugin.NewReader[plugin.ResourceUpdated[T]](w)
			removed := plugin.NewReader[plugin.ResourceRemoved[T]](w)
			return func() {
				h.inserted += len(inserted.Read())
				h.updated += len(updated.Read())
				h.removed += len(removed.Read())
			}
		}))
	})
	s.heard = append(s.heard, h)
	return h
}

func newStage[T any](t testing.TB, clients int) *stage[T] {
	s := &stage[T]{game: newGame(t)}
	for id := range clients {
		s.enter(entangle.ClientID(id + 1))
	}
	s.run(30)
	return s
}

// A resource that the server adds, changes and removes is added, changed in place, and removed on
// every client, including text and slices, with an event for each change.
//
// Proves: R29, G4
func TestAResourceIsAddedUpdatedAndRemoved(t *testing.T) {
	s := newStage[board](t, 2)
	plugin.ReplicateResource[board](s.world, components.Everyone)
	s.run(5)
	require.Nil(t, s.heard[0].value(), "the server's world has none yet")

	b := &board{Title: "first", Points: []int32{1, -2}, Local: 7}
	ecs.AddResource(s.world, b)
	s.run(5)
	for _, h := range s.heard {
		assert.Equal(t, &board{Title: "first", Points: []int32{1, -2}}, h.value())
		assert.Equal(t, [3]int{1, 0, 0}, h.counts())
	}
	place, before := s.heard[0].value(), s.heard[0].value().Points
	b.Title, b.Points = "second", append(b.Points, 3)
	s.run(5)
	assert.Same(t, place, s.heard[0].value())
	assert.Equal(t, &board{Title: "second", Points: []int32{1, -2, 3}}, place)
	assert.Equal(t, []int32{1, -2}, before, "what a game kept of the last value stays as it was")
	b.Local++
	s.run(30)
	assert.Equal(t, [3]int{1, 1, 0}, s.heard[1].counts())

	s.world.Resources().Remove(ecs.ResourceID[board](s.world))
	s.run(5)
	for _, h := range s.heard {
		assert.Nil(t, h.value())
		assert.Equal(t, [3]int{1, 1, 1}, h.counts())
	}
	ecs.AddResource(s.world, &board{Title: "third"})
	s.run(5)
	assert.Equal(t, "third", s.heard[0].value().Title)
	assert.Equal(t, [3]int{2, 1, 1}, s.heard[0].counts())
}

// When replication of a resource stops, it stays on the clients as it was, and late joiners get
// none. Once replication starts again the clients get its present value, or its removal.
//
// Proves: R29
func TestAStoppedResourceStaysAndCatchesUp(t *testing.T) {
	s := newStage[weather](t, 1)
	now := &weather{Wind: 1}
	ecs.AddResource(s.world, now)
	plugin.ReplicateResource[weather](s.world, components.Everyone)
	s.run(5)
	plugin.StopResource[weather](s.world)
	now.Wind = 2
	late := s.enter(2)
	s.run(60)
	assert.Equal(t, weather{Wind: 1}, *s.heard[0].value())
	assert.Nil(t, late.value())

	plugin.ReplicateResource[weather](s.world, components.Everyone)
	s.run(5)
	assert.Equal(t, weather{Wind: 2}, *s.heard[0].value())
	assert.Equal(t, weather{Wind: 2}, *late.value())
	assert.Equal(t, [3]int{1, 1, 0}, s.heard[0].counts())

	plugin.StopResource[weather](s.world)
	s.world.Resources().Remove(ecs.ResourceID[weather](s.world))
	s.run(30)
	assert.NotNil(t, late.value())
	plugin.ReplicateResource[weather](s.world, components.Everyone)
	s.run(5)
	assert.Nil(t, late.value())
}

// A target decides which clients get a resource. A client that leaves the target loses the
// resource. A client that enters it, or connects later, gets the present value.
//
// Proves: R29
func TestAResourceIsForItsTarget(t *testing.T) {
	s := newStage[weather](t, 2)
	targets := ecs.GetResource[components.Targets](s.world)
	now := &weather{Wind: 1}
	ecs.AddResource(s.world, now)
	plugin.ReplicateResource[weather](s.world, targets.Only(1, 3))
	s.run(5)
	assert.NotNil(t, s.heard[0].value())
	assert.Nil(t, s.heard[1].value())

	now.Wind = 2
	s.run(5)
	third, fourth := s.enter(3), s.enter(4)
	s.run(30)
	assert.Equal(t, weather{Wind: 2}, *third.value())
	assert.Nil(t, fourth.value())

	plugin.ReplicateResource[weather](s.world, targets.Except(1))
	s.run(5)
	assert.Nil(t, s.heard[0].value())
	assert.Equal(t, weather{Wind: 2}, *s.heard[1].value())
	assert.Equal(t, weather{Wind: 2}, *fourth.value())
	assert.Equal(t, [3]int{1, 0, 0}, third.counts(), "who was in both hears nothing")

	for target, wanted := range map[components.Target]bool{components.Owner: false, components.NotOwner: true, components.Nobody: false, components.Default: true} {
		plugin.ReplicateResource[weather](s.world, target)
		s.run(5)
		assert.Equal(t, wanted, third.value() != nil, target)
	}
}

// Entities in a resource are the client's own, in slices and arrays too. An entity that arrives
// later is the zero entity until then, and a despawned one is the zero entity again.
//
// Proves: R29, G5
func TestEntitiesInAResourceAreTheClients(t *testing.T) {
	s := newStage[board](t, 1)
	late := s.world.NewEntity()
	here := s.spawn(spot{1, 1}, name{1})
	b := &board{Leader: here, Team: []ecs.Entity{{}, late, here}}
	b.Seats[1].Who = here
	ecs.AddResource(s.world, b)
	plugin.ReplicateResource[board](s.world, components.Everyone)
	s.run(5)
	h := s.heard[0]
	w, got := h.client.world, h.value()
	require.True(t, w.Alive(got.Leader))
	assert.Equal(t, name{1}, *at[name](w, got.Leader))
	assert.Equal(t, []ecs.Entity{{}, {}, got.Leader}, got.Team)
	assert.Equal(t, got.Leader, got.Seats[1].Who)

	s.world.Add(late, ecs.ComponentID[components.Replicate](s.world), ecs.ComponentID[name](s.world))
	at[name](s.world, late).ID = 2
	s.run(5)
	require.True(t, w.Alive(got.Team[1]))
	assert.Equal(t, name{2}, *at[name](w, got.Team[1]))
	assert.Equal(t, [3]int{1, 1, 0}, h.counts())

	b.Leader = late
	b.Seats[1].Who = late
	s.run(5)
	assert.Equal(t, name{2}, *at[name](w, got.Leader))
	assert.Equal(t, got.Leader, got.Seats[1].Who)

	s.world.RemoveEntity(late)
	s.run(5)
	assert.True(t, got.Team[1].IsZero())
	assert.True(t, got.Leader.IsZero())
	assert.False(t, got.Team[2].IsZero())
}

// A late joiner gets a resource with its present value: its text, its slices, and its own entities,
// including those that changed or despawned since the resource was first sent.
//
// Proves: R29
func TestAResourceForWhoComesLate(t *testing.T) {
	s := newStage[board](t, 1)
	one, two, gone := s.spawn(spot{}, name{1}), s.spawn(spot{}, name{2}), s.spawn(spot{}, name{3})
	b := &board{Title: "first", Points: []int32{1}, Leader: one, Team: []ecs.Entity{one, two, gone}}
	ecs.AddResource(s.world, b)
	plugin.ReplicateResource[board](s.world, components.Everyone)
	s.run(5)
	b.Title, b.Points, b.Leader = "second", []int32{1, -2, 3}, two
	s.world.RemoveEntity(gone)
	s.run(60)
	late := s.enter(2)
	s.run(30)
	for _, h := range []*heardOf[board]{s.heard[0], late} {
		own := h.client.copies()
		assert.Equal(t, &board{
			Title: "second", Points: []int32{1, -2, 3}, Leader: own[2], Team: []ecs.Entity{own[1], own[2], {}},
		}, h.value())
	}
}

// Replacing one entity in a resource by another is a change, even if both have the first index of
// the table.
//
// Proves: R29
func TestAnotherEntityInAResourceIsAChange(t *testing.T) {
	s := newStage[board](t, 1)
	one, two := s.spawn(spot{}, name{1}), s.spawn(spot{}, name{2})
	b := &board{Leader: one}
	ecs.AddResource(s.world, b)
	plugin.ReplicateResource[board](s.world, components.Everyone)
	s.run(5)
	b.Leader = two
	s.run(5)
	assert.Equal(t, name{2}, *at[name](s.heard[0].client.world, s.heard[0].value().Leader))
}

// A resource that the client's game had before is overwritten, and stays when the connection ends.
// A resource that replication added is removed then. On the next connection, neither shows any
// state of the old one.
//
// Proves: R29
func TestAResourceOfTheGameIsTakenOverAndLeft(t *testing.T) {
	s := newStage[weather](t, 2)
	own := &weather{Rain: 9}
	ecs.AddResource(s.heard[0].client.world, own)
	now := &weather{Wind: 1}
	ecs.AddResource(s.world, now)
	plugin.ReplicateResource[weather](s.world, components.Everyone)
	s.run(5)
	assert.Same(t, own, s.heard[0].value())
	assert.Equal(t, weather{Wind: 1}, *own)
	assert.Equal(t, [3]int{1, 0, 0}, s.heard[0].counts())

	for _, h := range s.heard {
		h.client.Disconnect()
	}
	s.run(5)
	assert.Equal(t, weather{Wind: 1}, *s.heard[0].value())
	assert.Equal(t, [3]int{1, 0, 0}, s.heard[0].counts())
	assert.Nil(t, s.heard[1].value())
	assert.Equal(t, [3]int{1, 0, 1}, s.heard[1].counts())

	s.world.Resources().Remove(ecs.ResourceID[weather](s.world))
	for i, h := range s.heard {
		s.connect(h.client, entangle.ClientID(i+1))
	}
	s.run(30)
	require.Len(t, s.server.Clients(), 2)
	assert.Nil(t, s.heard[1].value())
	ecs.AddResource(s.world, &weather{Rain: 3})
	s.run(5)
	assert.Equal(t, weather{Rain: 3}, *own)
	assert.Equal(t, weather{Rain: 3}, *s.heard[1].value())
}

// A value that can't be sent is logged once, and the clients keep the previous one.
func TestAResourceThatIsTooLargeIsToldOf(t *testing.T) {
	s := newStage[pile](t, 1)
	refused := plugin.NewReader[plugin.ResourceRefused](s.world)
	big := &pile{Bytes: make([]byte, 60_000)}
	ecs.AddResource(s.world, big)
	plugin.ReplicateResource[pile](s.world, components.Everyone)
	s.run(60)
	require.Len(t, s.heard[0].value().Bytes, 60_000)

	big.Bytes = make([]byte, 70_000)
	var told []plugin.ResourceRefused
	follow := func(ticks int) {
		for range ticks {
			s.run(1)
			told = append(told, refused.Read()...)
		}
	}
	follow(5)
	require.Len(t, told, 1)
	assert.Contains(t, told[0].Name, "plugin_test.pile")
	assert.ErrorContains(t, told[0].Err, "make two of it")
	big.Bytes[0]++
	follow(5)
	big.Bytes = make([]byte, 200_000)
	follow(5)
	assert.Len(t, told, 3)
	assert.EqualValues(t, 3, s.server.Stats().Resources.Refused)
	assert.Len(t, s.heard[0].value().Bytes, 60_000)

	big.Bytes = []byte{1}
	s.run(5)
	assert.Equal(t, []byte{1}, s.heard[0].value().Bytes)
}

// Under a cap a large resource takes several ticks. A small one that changes in every tick does not
// wait for it.
//
// Proves: R29
func TestALargeResourceUnderACap(t *testing.T) {
	s := &stage[pile]{game: newGameWith(t, func(c *plugin.ServerConfig) { c.MaxBytesPerClient = 16_000 })}
	now := &weather{}
	ecs.AddResource(s.world, now)
	ecs.AddResource(s.world, &pile{Bytes: make([]byte, 60_000)})
	plugin.ReplicateResource[weather](s.world, components.Everyone)
	plugin.ReplicateResource[pile](s.world, components.Everyone)
	h := s.enter(1)
	changes, last := 0, weather{}
	for range 10 * 60 {
		now.Wind++
		s.run(1)
		if v, ok := h.client.world.Resources().Get(ecs.ResourceID[weather](h.client.world)).(*weather); ok && *v != last && h.value() == nil {
			last = *v
			changes++
		}
	}
	require.NotNil(t, h.value())
	assert.Len(t, h.value().Bytes, 60_000)
	assert.Greater(t, changes, 20)
}

// Misuse gives an error or panic that says how to fix it.
func TestResourcesThatCannotBe(t *testing.T) {
	s := newStage[weather](t, 1)
	panics := func(want string, f func()) {
		t.Helper()
		defer func() {
			t.Helper()
			text, _ := recover().(string)
			assert.Contains(t, text, want)
		}()
		f()
	}
	panics("protocol.Resource[plugin_test.private](p)", func() { plugin.ReplicateResource[private](s.world, components.Everyone) })
	panics("protocol.Resource[plugin_test.private](p)", func() { plugin.StopResource[private](s.world) })
	panics("a client only receives", func() { plugin.ReplicateResource[weather](s.heard[0].client.world, components.Everyone) })
	panics("without an Entangle app", func() {
		w := ecs.NewWorld()
		plugin.StopResource[weather](&w)
	})
	panics("a server receives no resources", func() { plugin.NewReader[plugin.ResourceUpdated[weather]](s.world) })
	s.world.Resources().Add(ecs.ResourceID[weather](s.world), weather{})
	plugin.ReplicateResource[weather](s.world, components.Everyone)
	panics("ecs.AddResource", func() { s.run(1) })
}

// Three resources, one of which changes in every tick, are observed, sent and received without
// allocation. So are three that do not change.
//
// Proves: R40
func TestSettledResourcesAllocateNothing(t *testing.T) {
	s := newStage[weather](t, 2)
	now := &weather{}
	ecs.AddResource(s.world, now)
	e := s.spawn(spot{}, name{1})
	own := s.spawnFor(ecs.GetResource[components.Targets](s.world).Only(1), name{2})
	ecs.AddResource(s.world, &board{Title: strings.Repeat("x", 100), Points: make([]int32, 100), Leader: own, Team: []ecs.Entity{e, e}})
	ecs.AddResource(s.world, &pile{Bytes: make([]byte, 5000)})
	plugin.ReplicateResource[weather](s.world, components.Everyone)
	plugin.ReplicateResource[board](s.world, components.Everyone)
	plugin.ReplicateResource[pile](s.world, components.Everyone)
	s.run(600)
	assert.Zero(t, alloctest.Count(300, func() { s.run(1) }))
	change := func() {
		now.Wind++
		plugin.ReplicateResource[weather](s.world, components.Everyone)
		s.run(1)
	}
	for range 600 {
		change()
	}
	assert.Zero(t, alloctest.Count(300, change))
	assert.Greater(t, s.heard[0].updated, 100)
	assert.NotZero(t, s.heard[1].value().Wind)
}
