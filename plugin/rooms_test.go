package plugin_test

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
)

// house is a game with two rooms, A and B.
type house struct {
	*game
	rooms plugin.Rooms
	a, b  *player
}

const roomA, roomB components.Room = 1, 2

func newHouse(t *testing.T) *house {
	g := newGame(t)
	h := &house{game: g, rooms: plugin.NewRooms(g.world), a: g.join(1), b: g.join(2)}
	h.run(30)
	return h
}

// Proves: V5
func TestAClientComesIntoARoomAndLeavesIt(t *testing.T) {
	h := newHouse(t)
	h.rooms.AddEntity(roomA, h.spawnOfInterest(7))
	h.rooms.AddEntity(roomA, h.spawnOf(components.Replicate{Relevance: components.ByInterest, Group: 3}, 8))
	h.rooms.AddEntity(roomB, h.spawnOfInterest(9))
	h.run(10)
	assert.Empty(t, h.a.ids())
	assert.True(t, h.rooms.AddClient(roomA, 1))
	h.run(10)
	assert.Equal(t, []uint32{7, 8}, h.a.ids())
	assert.Empty(t, h.b.ids())
	h.quiet(10, func() { assert.False(t, h.rooms.AddClient(roomA, 1), "it is there") })
	assert.True(t, h.rooms.RemoveClient(roomA, 1))
	h.run(10)
	assert.Empty(t, h.a.ids())
	h.quiet(10, func() { assert.False(t, h.rooms.RemoveClient(roomA, 1), "it is not there") })
}

// Proves: V6
func TestAnEntityComesIntoARoomAndLeavesIt(t *testing.T) {
	h := newHouse(t)
	h.rooms.AddClient(roomA, 1)
	for _, group := range []components.Group{0, 3} {
		e := h.spawnOf(components.Replicate{Relevance: components.ByInterest, Group: group}, 7)
		h.run(10)
		assert.Empty(t, h.a.ids())
		assert.True(t, h.rooms.AddEntity(roomA, e))
		h.run(10)
		assert.Equal(t, []uint32{7}, h.a.ids())
		assert.Empty(t, h.b.ids())
		h.quiet(10, func() { assert.False(t, h.rooms.AddEntity(roomA, e), "it is there") })
		assert.True(t, h.rooms.RemoveEntity(roomA, e))
		h.run(10)
		assert.Empty(t, h.a.ids())
		h.quiet(10, func() { assert.False(t, h.rooms.RemoveEntity(roomA, e), "it is not there") })
		h.world.RemoveEntity(e)
	}
}

// Proves: V7
func TestAClientAndAnEntityMoveTogether(t *testing.T) {
	h := newHouse(t)
	e := h.spawnOfInterest(7)
	h.rooms.AddEntity(roomA, e)
	h.rooms.AddClient(roomA, 1)
	h.run(10)
	kept := h.a.copies()[7]
	h.quiet(10, func() {
		h.rooms.RemoveClient(roomA, 1)
		h.rooms.RemoveEntity(roomA, e)
		h.rooms.AddEntity(roomB, e)
		h.rooms.AddClient(roomB, 1)
	})
	assert.Equal(t, kept, h.a.copies()[7])
}

// Proves: V8
func TestAnEntityMovesBetweenRoomsOfAClient(t *testing.T) {
	h := newHouse(t)
	e := h.spawnOfInterest(7)
	h.rooms.AddClient(roomA, 1)
	h.rooms.AddClient(roomB, 1)
	h.rooms.AddEntity(roomA, e)
	h.run(10)
	kept := h.a.copies()[7]
	h.quiet(10, func() {
		h.rooms.RemoveEntity(roomA, e)
		h.rooms.AddEntity(roomB, e)
	})
	assert.Equal(t, kept, h.a.copies()[7])
}

// Proves: V9
func TestAClientMovesBetweenRoomsOfAnEntity(t *testing.T) {
	h := newHouse(t)
	e := h.spawnOfInterest(7)
	h.rooms.AddEntity(roomA, e)
	h.rooms.AddEntity(roomB, e)
	h.rooms.AddClient(roomA, 1)
	h.run(10)
	kept := h.a.copies()[7]
	h.quiet(10, func() {
		h.rooms.RemoveClient(roomA, 1)
		h.rooms.AddClient(roomB, 1)
	})
	assert.Equal(t, kept, h.a.copies()[7])
}

// Proves: V10
func TestBothLeaveARoom(t *testing.T) {
	h := newHouse(t)
	e := h.spawnOfInterest(7)
	h.rooms.AddEntity(roomA, e)
	h.rooms.AddClient(roomA, 1)
	h.run(10)
	h.rooms.RemoveClient(roomA, 1)
	h.rooms.RemoveEntity(roomA, e)
	h.run(10)
	assert.Empty(t, h.a.ids())
	assert.True(t, h.world.Alive(e))
	h.quiet(10, func() { h.rooms.AddClient(roomA, 1) })
	assert.Empty(t, h.a.ids())
}

// A client and an entity may be in any number of rooms. The client sees the entity until they share
// no room any more.
//
// Proves: V14
func TestAThousandRooms(t *testing.T) {
	h := newHouse(t)
	e := h.spawnOfInterest(7)
	for room := components.Room(1); room <= 1000; room++ {
		assert.True(t, h.rooms.AddEntity(room, e))
		assert.True(t, h.rooms.AddClient(room, 1))
	}
	h.run(10)
	kept := h.a.copies()[7]
	for room := components.Room(1); room < 1000; room++ {
		if room%2 == 0 {
			h.rooms.RemoveClient(room, 1)
		} else {
			h.rooms.RemoveEntity(room, e)
		}
	}
	h.run(10)
	assert.Equal(t, kept, h.a.copies()[7])
	h.rooms.RemoveEntity(1000, e)
	h.run(10)
	assert.Empty(t, h.a.ids())
}

func TestWhoIsInARoom(t *testing.T) {
	h := newHouse(t)
	one, two := h.spawnOfInterest(1), h.spawnOfInterest(2)
	assert.False(t, h.rooms.HasClient(roomA, 1))
	assert.False(t, h.rooms.HasEntity(roomA, one))
	h.rooms.AddClient(roomA, 1)
	h.rooms.AddClient(roomA, 2)
	h.rooms.AddEntity(roomA, one)
	h.rooms.AddEntity(roomA, two)
	h.rooms.RemoveEntity(roomA, two)
	assert.True(t, h.rooms.HasClient(roomA, 1))
	assert.False(t, h.rooms.HasClient(roomB, 1))
	assert.True(t, h.rooms.HasEntity(roomA, one))
	assert.False(t, h.rooms.HasEntity(roomA, two))
	assert.Equal(t, []entangle.ClientID{9, 1, 2}, h.rooms.Clients([]entangle.ClientID{9}, roomA))
	assert.Equal(t, []ecs.Entity{one}, h.rooms.Entities(nil, roomA))
	assert.Empty(t, h.rooms.Clients(nil, roomB))
	assert.Empty(t, h.rooms.Entities(nil, roomB))
}

// A call that cannot succeed returns false if that may be due to a recent change, and panics with a
// text that tells how to fix it if it is a mistake.
func TestMistakesWithRooms(t *testing.T) {
	h := newHouse(t)
	e := h.spawnOfInterest(7)
	assert.False(t, h.rooms.AddClient(roomA, 9), "such a client is not there")
	assert.False(t, h.rooms.RemoveClient(roomA, 9))
	assert.False(t, h.rooms.RemoveClient(77, 1), "nobody is in that room")
	assert.False(t, h.rooms.RemoveEntity(77, e))
	h.b.Disconnect()
	h.run(10)
	assert.False(t, h.rooms.AddClient(roomA, 2), "it has left")
	assert.False(t, h.rooms.HasClient(roomA, 2))
	h.world.RemoveEntity(e)
	assert.Panics(t, func() { h.rooms.AddEntity(roomA, e) })
	assert.False(t, h.rooms.RemoveEntity(roomA, e))
	assert.False(t, h.rooms.HasEntity(roomA, e))

	for _, call := range []func(){
		func() { h.rooms.AddClient(0, 1) }, func() { h.rooms.RemoveClient(0, 1) }, func() { h.rooms.HasClient(0, 1) },
		func() { h.rooms.AddEntity(0, e) }, func() { h.rooms.RemoveEntity(0, e) }, func() { h.rooms.HasEntity(0, e) },
		func() { h.rooms.Clients(nil, 0) }, func() { h.rooms.Entities(nil, 0) },
	} {
		assert.PanicsWithValue(t, "plugin: 0 is no room; number rooms from 1 to 2147483647", call)
	}
	assert.PanicsWithValue(t, "plugin: 2147483648 is no room; number rooms from 1 to 2147483647",
		func() { h.rooms.AddClient(1<<31, 1) })
	assert.PanicsWithValue(t, "plugin: NewRooms in a world without a server; call it from the Initialize of a system "+
		"that was added to the Server, or after that is initialised", func() { plugin.NewRooms(h.a.world) })
}

// The clients of a room are a target of entities, of components and of messages. The target is the
// clients that are in the room at the time.
//
// Proves: V15
func TestARoomAsATarget(t *testing.T) {
	for _, group := range []components.Group{0, 3} {
		h := newHouse(t)
		room := h.targets().Room(roomA)
		places := plugin.NewOverride[spot](h.world)
		e := h.spawnOf(components.Replicate{Target: room, Group: group}, 7)
		all := h.spawnOf(components.Replicate{Group: group}, 8)
		places.SetTarget(all, room)
		h.run(10)
		assert.Equal(t, []uint32{8}, h.a.ids())
		assert.Empty(t, spots(h.a.world))
		kept := h.a.copies()[8]
		h.rooms.AddClient(roomA, 1)
		h.run(10)
		assert.Equal(t, map[uint32]spot{7: {7, 1}, 8: {8, 1}}, spots(h.a.world))
		assert.Equal(t, []uint32{8}, h.b.ids())
		h.rooms.RemoveClient(roomA, 1)
		h.rooms.AddClient(roomA, 2)
		h.run(10)
		assert.Equal(t, []uint32{8}, h.a.ids())
		assert.Empty(t, spots(h.a.world))
		assert.Equal(t, map[uint32]spot{7: {7, 1}, 8: {8, 1}}, spots(h.b.world))
		h.tag(e).Target = h.targets().Room(roomB)
		places.Clear(all)
		h.run(10)
		assert.Equal(t, []uint32{8}, h.b.ids())
		assert.Equal(t, map[uint32]spot{8: {8, 1}}, spots(h.a.world))
		h.quiet(10, func() { h.rooms.RemoveClient(roomA, 2) })
		h.rooms.AddClient(roomB, 1)
		h.run(10)
		assert.Equal(t, []uint32{7, 8}, h.a.ids())
		assert.Equal(t, kept, h.a.copies()[8])
	}
}

// A child's target may be a room too.
func TestARoomAsTheTargetOfAChild(t *testing.T) {
	g := newFamilyGame(t)
	a := g.join(1)
	g.run(30)
	rooms := plugin.NewRooms(g.world)
	root := g.spawnOf(components.Replicate{}, 1)
	child := g.child(root, name{2})
	g.run(10)
	assert.Equal(t, []uint32{1, 2}, a.ids())
	g.tag(child).Target = g.targets().Room(roomA)
	g.run(10)
	assert.Equal(t, []uint32{1}, a.ids())
	rooms.AddClient(roomA, 1)
	g.run(10)
	assert.Equal(t, []uint32{1, 2}, a.ids())
	g.tag(root).Target = g.targets().Room(roomB)
	g.run(10)
	assert.Empty(t, a.ids())
	rooms.AddClient(roomB, 1)
	g.run(10)
	assert.Equal(t, []uint32{1, 2}, a.ids())
}

// A paused entity stays visible to the clients that saw it, also if its target is a room.
func TestARoomAsTheTargetOfWhatIsPaused(t *testing.T) {
	for _, group := range []components.Group{0, 3} {
		h := newHouse(t)
		r := components.Replicate{Target: h.targets().Room(roomA), Group: group}
		h.rooms.AddClient(roomA, 1)
		e := h.spawnOf(r, 7)
		h.spawnOf(components.Replicate{Target: h.targets().Room(roomB), Group: group}, 8)
		h.run(10)
		tags := generic.NewMap1[components.Replicate](h.world)
		tags.Remove(e)
		h.run(10)
		h.rooms.AddClient(roomB, 1)
		h.rooms.RemoveClient(roomA, 1)
		h.rooms.AddClient(roomA, 2)
		h.run(10)
		assert.Equal(t, []uint32{7, 8}, h.a.ids())
		assert.Empty(t, h.b.ids())
		tags.Assign(e, &r)
		h.run(10)
		assert.Equal(t, []uint32{8}, h.a.ids())
		assert.Equal(t, []uint32{7}, h.b.ids())
	}
}

// A paused entity is not shown to a client outside its target, even if other changes of its group
// are sent meanwhile.
func TestWhatIsPausedIsShownToNobodyElse(t *testing.T) {
	h := newHouse(t)
	all, relevance := h.targets().Only(1, 2), plugin.NewRelevance(h.world)
	e := h.spawnIn(h.targets().Only(1), 3, spot{}, name{7})
	h.spawnIn(all, 3, spot{}, name{8})
	h.run(10)
	h.world.Remove(e, ecs.ComponentID[components.Replicate](h.world))
	h.run(10)
	h.spawnIn(all, 3, spot{}, name{9})
	h.run(10)
	assert.Equal(t, []uint32{7, 8, 9}, h.a.ids())
	assert.Equal(t, []uint32{8, 9}, h.b.ids())
	assert.True(t, relevance.Sees(e, 1))
	assert.False(t, relevance.Sees(e, 2))
}

// A component is visible to some of the clients that see its entity, with or without relevance
// ByInterest: to its owner, to a set, or to the clients of a room.
//
// Proves: V15
func TestAComponentIsVisibleToSomeOfThoseWhoSeeItsEntity(t *testing.T) {
	for _, group := range []components.Group{0, 3} {
		h := newHouse(t)
		sets := h.targets()
		sight, places := plugin.NewRelevance(h.world), plugin.NewOverride[spot](h.world)
		e := h.spawnOf(components.Replicate{Relevance: components.ByInterest, Group: group}, 7)
		mate := h.spawnOf(components.Replicate{Relevance: components.ByInterest, Group: group}, 8)
		for _, client := range []entangle.ClientID{1, 2} {
			sight.Show(e, client)
			sight.Show(mate, client)
		}
		shows := func(as, bs bool) {
			t.Helper()
			at[spot](h.world, e).Y++
			h.run(10)
			want := func(also bool) map[uint32]spot {
				all := map[uint32]spot{8: {8, 1}}
				if also {
					all[7] = *at[spot](h.world, e)
				}
				return all
			}
			assert.Equal(t, want(as), spots(h.a.world), "client 1")
			assert.Equal(t, want(bs), spots(h.b.world), "client 2")
			assert.Equal(t, []uint32{7, 8}, h.a.ids())
			assert.Equal(t, []uint32{7, 8}, h.b.ids())
		}
		shows(true, true)
		h.control(e, components.ControlledBy{Client: 2})
		places.SetTarget(e, components.Owner)
		shows(false, true)
		places.SetTarget(e, sets.Only(1, 3))
		shows(true, false)
		places.SetTarget(e, sets.Room(roomA))
		shows(false, false)
		h.rooms.AddClient(roomA, 2)
		shows(false, true)

		for _, client := range []entangle.ClientID{1, 2} {
			sight.Hide(e, client)
			sight.Hide(mate, client)
		}
		h.run(10)
		assert.Empty(t, h.b.ids(), "a component that it may see shows no entity")
		h.rooms.AddClient(roomA, 1)
		sight.Show(e, 1)
		sight.Show(mate, 1)
		h.run(10)
		assert.Equal(t, map[uint32]spot{7: *at[spot](h.world, e), 8: {8, 1}}, spots(h.a.world))
	}
}

// Resources and messages for a room go to the clients that are in it when they are sent.
//
// Proves: V15
func TestMessagesAndResourcesForARoom(t *testing.T) {
	h := newHouse(t)
	h.rooms.AddClient(roomA, 1)
	room := h.targets().Room(roomA)
	ecs.AddResource(h.world, &weather{})
	plugin.ReplicateResource[weather](h.world, room)
	chats := plugin.NewSender[chat](h.world)
	as, bs := plugin.NewReader[plugin.MessageReceived[chat]](h.a.world), plugin.NewReader[plugin.MessageReceived[chat]](h.b.world)
	assert.NoError(t, chats.Send(room, chat{Text: "first"}))
	gotA, gotB := 0, 0
	listen := func() {
		for range 10 {
			h.run(1)
			gotA += len(as.Read())
			gotB += len(bs.Read())
		}
	}
	listen()
	has := func(p *player) bool { return p.world.Resources().Has(ecs.ResourceID[weather](p.world)) }
	assert.Equal(t, []int{1, 0}, []int{gotA, gotB})
	assert.True(t, has(h.a))
	assert.False(t, has(h.b))
	h.rooms.RemoveClient(roomA, 1)
	h.rooms.AddClient(roomA, 2)
	assert.NoError(t, chats.Send(room, chat{Text: "second"}))
	listen()
	assert.Equal(t, []int{1, 1}, []int{gotA, gotB})
	assert.False(t, has(h.a))
	assert.True(t, has(h.b))
	far := plugin.NewSender[chat](h.a.world)
	assert.NoError(t, far.Send(ecs.GetResource[components.Targets](h.a.world).Room(roomA), chat{Text: "third"}))
	listen()
	assert.Equal(t, []int{1, 1}, []int{gotA, gotB}, "a client knows nobody in a room")
}
