package plugin_test

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/plugin"
)

// spawnOf spawns an entity with the given Replicate.
func (g *game) spawnOf(r components.Replicate, n uint32) ecs.Entity {
	m := generic.NewMap3[spot, name, components.Replicate](g.world)
	return m.NewWith(&spot{float32(n), 1}, &name{n}, &r)
}

// spawnOfInterest spawns an entity with relevance ByInterest.
func (g *game) spawnOfInterest(n uint32) ecs.Entity {
	return g.spawnOf(components.Replicate{Relevance: components.ByInterest}, n)
}

func (g *game) tag(e ecs.Entity) *components.Replicate { return at[components.Replicate](g.world, e) }

// quiet checks that no replication data is sent to any client while do runs.
func (g *game) quiet(ticks int, do func()) {
	g.t.Helper()
	sent := func() plugin.ReplicationStats {
		s := g.server.Stats().Replication
		s.Entities, s.Groups = 0, 0
		s.Encoded = 0 // a body that turns out to say nothing is not sent
		return s
	}
	before := sent()
	do()
	g.run(ticks)
	assert.Equal(g.t, before, sent())
}

// An entity with relevance ByInterest spawns on a client once it becomes relevant to it, and
// despawns there once it no longer is. Setting the same relevance again changes nothing. When
// relevant again, it arrives as a new entity with its present values.
//
// Proves: V1
func TestRelevanceIsGainedAndLost(t *testing.T) {
	for what, group := range map[string]components.Group{"of its own": 0, "in a group": 3} {
		t.Run(what, func(t *testing.T) {
			g := newGame(t)
			a, b := g.join(1), g.join(2)
			sight := plugin.NewRelevance(g.world)
			e := g.spawnOf(components.Replicate{Relevance: components.ByInterest, Group: group}, 7)
			g.run(30)
			assert.Empty(t, a.ids(), "nothing says that it matters")
			assert.True(t, sight.Show(e, 1))
			g.run(10)
			assert.Equal(t, map[uint32]spot{7: {7, 1}}, spots(a.world))
			assert.Empty(t, b.ids())
			kept := a.copies()[7]
			g.quiet(10, func() { assert.True(t, sight.Show(e, 1)) })
			assert.Equal(t, kept, a.copies()[7])

			assert.True(t, sight.Hide(e, 1))
			g.run(10)
			assert.Empty(t, a.ids())
			assert.True(t, g.world.Alive(e))
			at[spot](g.world, e).X = 9
			g.quiet(10, func() { assert.True(t, sight.Hide(e, 1)) })
			assert.True(t, sight.Show(e, 1))
			g.run(10)
			assert.Equal(t, map[uint32]spot{7: {9, 1}}, spots(a.world))
			assert.True(t, sight.Clear(e, 1))
			assert.False(t, sight.Clear(e, 1), "nothing is said any more")
			g.run(10)
			assert.Empty(t, a.ids())
		})
	}
}

// A change of relevance that is undone before the next tick has no effect.
//
// Proves: V1
func TestRelevanceThatIsBackWithinATick(t *testing.T) {
	g := newGame(t)
	a := g.join(1)
	g.run(30)
	sight, rooms := plugin.NewRelevance(g.world), plugin.NewRooms(g.world)
	e := g.spawnOfInterest(7)
	sight.Show(e, 1)
	g.run(10)
	kept := a.copies()[7]
	g.quiet(10, func() {
		sight.Hide(e, 1)
		sight.Show(e, 1)
	})
	g.quiet(10, func() {
		rooms.AddClient(5, 1)
		rooms.AddEntity(5, e)
		sight.Clear(e, 1)
	})
	assert.Equal(t, kept, a.copies()[7])
}

// When an entity that a client never saw is despawned, the client is sent nothing, whether the
// entity is removed or despawned for other clients only.
//
// Proves: V2
func TestTheEndOfWhatIsHiddenIsNotTold(t *testing.T) {
	for _, group := range []components.Group{0, 3} {
		g := newGame(t)
		sight := plugin.NewRelevance(g.world)
		a := g.join(1)
		g.join(2)
		all := g.spawnOf(components.Replicate{}, 1)
		e := g.spawnOf(components.Replicate{Relevance: components.ByInterest, Group: group}, 7)
		g.run(30)
		g.quiet(20, func() { g.world.RemoveEntity(e) })

		e = g.spawnOf(components.Replicate{Relevance: components.ByInterest, Group: group}, 8)
		sight.Show(e, 2)
		g.run(20)
		gone := 0
		reader := plugin.NewReader[plugin.EntityDespawned](a.world)
		before := g.server.Stats().Replication
		g.world.RemoveEntity(e)
		g.run(20)
		for range reader.Read() {
			gone++
		}
		assert.Zero(t, gone)
		assert.Equal(t, before.Actions+1, g.server.Stats().Replication.Actions, "client 2 alone is told")
		assert.Equal(t, []uint32{1}, a.ids())
		assert.True(t, g.world.Alive(all))
	}
}

// A client keeps the same replica when the entity's target changes to another one that includes the
// client, and when its relevance changes from ByInterest to Always or Retained, or back. A client to which
// it is not relevant despawns it as Always ends. If it becomes Retained then, it stays in a named group.
//
// Proves: V3
func TestVisibilitySurvivesAChangeOfTarget(t *testing.T) {
	for _, group := range []components.Group{0, 3} {
		g := newGame(t)
		sets := g.targets()
		a, b := g.join(1), g.join(2)
		sight := plugin.NewRelevance(g.world)
		e := g.spawnOf(components.Replicate{Relevance: components.ByInterest, Group: group}, 7)
		g.run(30)
		sight.Show(e, 1)
		g.run(10)
		kept := a.copies()[7]
		for _, target := range []components.Target{sets.Only(1), sets.Except(2), sets.Only(1, 2), components.NotOwner, components.Default} {
			g.tag(e).Target = target
			at[spot](g.world, e).X++
			g.run(10)
			assert.Equal(t, kept, a.copies()[7])
			assert.Equal(t, map[uint32]spot{7: *at[spot](g.world, e)}, spots(a.world))
			assert.Empty(t, b.ids())
		}
		other := false // whether the other client has it
		for _, r := range []components.Relevance{components.Retained, components.Always, components.ByInterest, components.Always, components.Retained} {
			g.tag(e).Relevance = r
			other = r == components.Always || r == components.Retained && other && group != 0
			at[spot](g.world, e).X++
			g.run(10)
			assert.Equal(t, kept, a.copies()[7], "%v", r)
			assert.Equal(t, map[uint32]spot{7: *at[spot](g.world, e)}, spots(a.world))
			assert.Equal(t, other, len(b.ids()) == 1, "%v", r)
		}
	}
}

// Relevance never shows an entity or component to a client that its target or override excludes.
// Relevance still holds when the target later includes the client.
//
// Proves: V11
func TestRelevanceDoesNotGoBeyondTheTarget(t *testing.T) {
	for _, group := range []components.Group{0, 3} {
		g := newGame(t)
		sets := g.targets()
		a, b := g.join(1), g.join(2)
		sight, rooms := plugin.NewRelevance(g.world), plugin.NewRooms(g.world)
		places := plugin.NewOverride[spot](g.world)
		e := g.spawnOf(components.Replicate{Relevance: components.ByInterest, Group: group, Target: sets.Only(1)}, 7)
		places.SetTarget(e, sets.Only(2))
		g.run(30)
		sight.Show(e, 1)
		sight.Show(e, 2)
		for _, client := range []entangle.ClientID{1, 2} {
			rooms.AddClient(4, client)
		}
		rooms.AddEntity(4, e)
		g.run(10)
		assert.Equal(t, []uint32{7}, a.ids())
		assert.Empty(t, spots(a.world), "its place is for client 2")
		assert.Empty(t, b.ids())
		g.tag(e).Target = sets.Only(2)
		g.run(10)
		assert.Empty(t, a.ids())
		assert.Equal(t, map[uint32]spot{7: {7, 1}}, spots(b.world))
		g.tag(e).Target = components.Nobody
		g.run(10)
		assert.Empty(t, b.ids())
		g.tag(e).Target = components.Everyone
		g.run(10)
		assert.Equal(t, []uint32{7}, a.ids())
		assert.Equal(t, []uint32{7}, b.ids())
	}
}

// Of the sources of relevance, the game's explicit setting takes precedence over ownership, and
// ownership over a room.
//
// Proves: V14
func TestWhatSaysThatAnEntityMatters(t *testing.T) {
	g := newGame(t)
	a, b := g.join(1), g.join(2)
	sight, rooms := plugin.NewRelevance(g.world), plugin.NewRooms(g.world)
	e := g.spawnOfInterest(7)
	g.run(30)
	shown := func(as, bs bool) {
		t.Helper()
		g.run(10)
		assert.Equal(t, as, len(a.ids()) == 1, "client 1")
		assert.Equal(t, bs, len(b.ids()) == 1, "client 2")
	}
	shown(false, false)
	g.control(e, components.ControlledBy{Client: 1})
	shown(true, false)
	rooms.AddClient(3, 2)
	rooms.AddEntity(3, e)
	shown(true, true)
	g.control(e, components.ControlledBy{Client: 2})
	shown(false, true)
	rooms.RemoveEntity(3, e)
	shown(false, true)
	sight.Hide(e, 2)
	shown(false, false)
	rooms.AddEntity(3, e)
	rooms.AddClient(3, 1)
	shown(true, false)
	sight.Clear(e, 2)
	sight.Hide(e, 1)
	shown(false, true)
	sight.Show(e, 1)
	rooms.RemoveEntity(3, e)
	shown(true, true)
	g.control(e, components.ControlledBy{})
	shown(true, false)
	show, said := sight.Setting(e, 1)
	assert.True(t, show && said)
	_, said = sight.Setting(e, 2)
	assert.False(t, said)
}

// A group is shown whole to a client if one of its members is relevant to it. Targets and overrides
// hide single members. Members with relevance Always are relevant to all clients.
//
// Proves: V14
func TestAGroupIsShownWhole(t *testing.T) {
	g := newGame(t)
	sets := g.targets()
	a, b := g.join(1), g.join(2)
	sight := plugin.NewRelevance(g.world)
	member := func(n uint32, target components.Target) ecs.Entity {
		return g.spawnOf(components.Replicate{Relevance: components.ByInterest, Group: 4, Target: target}, n)
	}
	one, two, third := member(1, components.Everyone), member(2, components.Everyone), member(3, sets.Only(2))
	g.run(30)
	assert.Empty(t, a.ids())
	sight.Show(two, 1)
	g.run(10)
	assert.Equal(t, []uint32{1, 2}, a.ids(), "3 is not for it")
	assert.Empty(t, b.ids())
	kept := a.copies()[1]
	sight.Show(third, 1)
	sight.Show(one, 1)
	g.run(10)
	sight.Clear(two, 1)
	g.run(10)
	assert.Equal(t, []uint32{1, 2}, a.ids(), "1 matters by now")
	assert.Equal(t, kept, a.copies()[1])
	sight.Hide(one, 1)
	g.run(10)
	assert.Empty(t, a.ids(), "3 is not for it, so it can't show the others")

	always := g.spawnOf(components.Replicate{Group: 4}, 4)
	g.run(10)
	assert.Equal(t, []uint32{1, 2, 4}, a.ids())
	assert.Equal(t, []uint32{1, 2, 3, 4}, b.ids())
	g.world.RemoveEntity(always)
	sight.Show(third, 2)
	g.run(10)
	assert.Empty(t, a.ids())
	assert.Equal(t, []uint32{1, 2, 3}, b.ids())
	g.tag(third).Group = 0
	g.run(10)
	assert.Equal(t, []uint32{3}, b.ids(), "it took its relevance along")
}

// Explicit relevance ends with the client's connection and with the entity. A client that
// reconnects, and an entity that reuses a network id, inherit none of it.
//
// Proves: V14
func TestWhatWasSaidEnds(t *testing.T) {
	g := newGame(t)
	a := g.join(1)
	sight, rooms := plugin.NewRelevance(g.world), plugin.NewRooms(g.world)
	said, in := g.spawnOfInterest(7), g.spawnOfInterest(8)
	g.run(30)
	sight.Show(said, 1)
	rooms.AddEntity(5, in)
	rooms.AddClient(5, 1)
	g.run(10)
	require.Equal(t, []uint32{7, 8}, a.ids())
	a.Disconnect()
	g.run(5)
	assert.False(t, rooms.HasClient(5, 1))
	assert.True(t, rooms.HasEntity(5, in))
	g.connect(a, 1)
	g.run(30)
	require.Equal(t, plugin.Connected, a.State())
	assert.Empty(t, a.ids())
	assert.False(t, rooms.HasClient(5, 1))

	rooms.AddClient(5, 1)
	sight.Show(said, 1)
	g.run(10)
	require.Equal(t, []uint32{7, 8}, a.ids())
	g.world.RemoveEntity(said)
	g.world.RemoveEntity(in)
	heirs := []ecs.Entity{g.spawnOfInterest(9), g.spawnOfInterest(10)}
	require.ElementsMatch(t, []uint32{said.ID(), in.ID()}, []uint32{heirs[0].ID(), heirs[1].ID()}, "the numbers are used again")
	g.run(10)
	assert.Empty(t, a.ids())
	for _, e := range heirs {
		_, some := sight.Setting(e, 1)
		assert.False(t, some)
		assert.False(t, rooms.HasEntity(5, e))
	}
	assert.False(t, rooms.HasEntity(5, in))
	assert.Empty(t, rooms.Entities(nil, 5))
}

// If an entity is despawned before it was ever replicated, its explicit relevance ends with it.
//
// Proves: V14
func TestWhatWasSaidOfAnEntityThatIsNotReplicated(t *testing.T) {
	g := newGame(t)
	a := g.join(1)
	g.run(30)
	sight, rooms := plugin.NewRelevance(g.world), plugin.NewRooms(g.world)
	m := generic.NewMap2[spot, name](g.world)
	brief, lasting := m.NewWith(&spot{}, &name{1}), m.NewWith(&spot{}, &name{2})
	rooms.AddClient(5, 1)
	for _, e := range []ecs.Entity{brief, lasting} {
		assert.True(t, rooms.AddEntity(5, e))
		assert.True(t, sight.Show(e, 1))
	}
	g.run(5)
	g.world.RemoveEntity(brief)
	assert.Equal(t, []ecs.Entity{lasting}, rooms.Entities(nil, 5))
	heir := g.spawnOfInterest(3)
	require.Equal(t, brief.ID(), heir.ID(), "the number is used again")
	tags := generic.NewMap1[components.Replicate](g.world)
	tags.Assign(lasting, &components.Replicate{Relevance: components.ByInterest})
	g.run(10)
	assert.Equal(t, []uint32{2}, a.ids())
}

// Until a paused entity is resumed, neither the entity nor its group appears or disappears because
// of relevance.
func TestRelevanceInAPause(t *testing.T) {
	for _, group := range []components.Group{0, 3} {
		g := newGame(t)
		a, b := g.join(1), g.join(2)
		sight := plugin.NewRelevance(g.world)
		r := components.Replicate{Relevance: components.ByInterest, Group: group}
		e := g.spawnOf(r, 7)
		g.run(30)
		sight.Show(e, 1)
		g.run(10)
		tags := generic.NewMap1[components.Replicate](g.world)
		tags.Remove(e)
		g.run(5)
		kept := a.copies()[7]
		sight.Hide(e, 1)
		sight.Show(e, 2)
		g.run(10)
		assert.Equal(t, []uint32{7}, a.ids())
		assert.Empty(t, b.ids())
		assert.Equal(t, kept, a.copies()[7])
		tags.Assign(e, &r)
		g.run(10)
		assert.Empty(t, a.ids())
		assert.Equal(t, []uint32{7}, b.ids())
	}
}

// Children are in the group of their topmost ancestor, and its relevance decides for all of them.
// One relevant child shows the whole hierarchy.
//
// Proves: V14
func TestRelevanceOfAFamily(t *testing.T) {
	g := newFamilyGame(t)
	a, b := g.join(1), g.join(2)
	sight := plugin.NewRelevance(g.world)
	root := g.spawnOfInterest(1)
	child := g.child(root, name{2})
	grandchild := g.child(child, name{3})
	g.run(30)
	assert.Empty(t, a.ids(), "a child that says nothing is as its parent")
	sight.Show(root, 1)
	sight.Show(grandchild, 2)
	g.run(10)
	assert.Equal(t, []uint32{1, 2, 3}, a.ids())
	assert.Equal(t, []uint32{1, 2, 3}, b.ids())
	sight.Clear(grandchild, 2)
	g.run(10)
	assert.Empty(t, b.ids())
	g.tag(root).Relevance = components.Always
	g.run(10)
	assert.Equal(t, []uint32{1, 2, 3}, b.ids())
	g.tag(child).Relevance = components.ByInterest
	g.tag(root).Relevance = components.ByInterest
	g.run(10)
	assert.Empty(t, b.ids())
	assert.Equal(t, []uint32{1, 2, 3}, a.ids())
	g.world.RemoveEntity(grandchild)
	g.run(10)
	assert.Equal(t, []uint32{1, 2}, a.ids())
}

// The player of a host is a client like others: it gets events of the entities that are relevant to
// it.
//
// Proves: V14
func TestWhatMattersToAHostsPlayer(t *testing.T) {
	for _, group := range []components.Group{0, 3} {
		var came heard[plugin.EntitySpawned]
		var went heard[plugin.EntityDespawned]
		h := newHosted(t, came.system(), went.system()).play()
		rooms, sight := plugin.NewRooms(h.world), plugin.NewRelevance(h.world)
		e := h.spawnOf(components.Replicate{Relevance: components.ByInterest, Group: group}, 7)
		h.run(5)
		assert.Empty(t, came.all)
		assert.True(t, rooms.AddClient(roomA, me))
		rooms.AddEntity(roomA, e)
		h.run(5)
		assert.Len(t, came.all, 1)
		assert.True(t, sight.Sees(e, me))
		h.tag(e).Relevance = components.Retained
		h.run(5)
		rooms.RemoveClient(roomA, me)
		h.run(5)
		assert.Empty(t, went.all, "it is retained")
		assert.False(t, sight.Sees(e, me))
		assert.True(t, sight.Show(e, me))
		h.run(5)
		assert.Len(t, came.all, 1)
		h.host.Player().Disconnect()
		assert.False(t, sight.Sees(e, me))
		assert.False(t, rooms.AddClient(roomA, me))
	}
}

// Sees answers as of the last send, for entities with and without relevance ByInterest.
func TestWhoSeesWhat(t *testing.T) {
	g := newGame(t)
	sets := g.targets()
	g.join(1)
	sight := plugin.NewRelevance(g.world)
	mine, other, all := g.spawnOfInterest(1), g.spawnOf(components.Replicate{Target: sets.Only(2)}, 2), g.spawnOf(components.Replicate{}, 3)
	inGroup := g.spawnOf(components.Replicate{Target: sets.Only(2), Group: 4}, 4)
	g.spawnOf(components.Replicate{Group: 4}, 5)
	assert.False(t, sight.Sees(all, 1), "nobody is there")
	g.run(30)
	sight.Show(mine, 1)
	g.run(1)
	sees := func(e ...ecs.Entity) (all []bool) {
		for i := range e {
			all = append(all, sight.Sees(e[i], 1))
		}
		return all
	}
	assert.Equal(t, []bool{true, false, true, false}, sees(mine, other, all, inGroup))
	sight.Hide(mine, 1)
	g.tag(other).Target = components.Everyone
	assert.Equal(t, []bool{true, false, true, false}, sees(mine, other, all, inGroup), "nothing was sent yet")
	g.run(1)
	assert.Equal(t, []bool{false, true, true, false}, sees(mine, other, all, inGroup))
	assert.False(t, sight.Sees(all, 2), "it is not connected")
	g.world.RemoveEntity(all)
	assert.False(t, sight.Sees(all, 1))
	g.run(1)
	assert.False(t, sight.Sees(all, 1))
}

func TestMistakesWithRelevanceSayWhatToDo(t *testing.T) {
	g := newGame(t)
	c := g.join(1)
	g.run(30)
	const noServer = "plugin: NewRelevance in a world without a server; call it from the Initialize of a system " +
		"that was added to the Server, or after that is initialised"
	assert.PanicsWithValue(t, noServer, func() { plugin.NewRelevance(c.world) })
	empty := ecs.NewWorld()
	assert.PanicsWithValue(t, noServer, func() { plugin.NewRelevance(&empty) })
	sight := plugin.NewRelevance(g.world)
	e := g.spawnOfInterest(7)
	assert.False(t, sight.Show(e, 9), "such a client is not there")
	assert.False(t, sight.Hide(e, 9))
	assert.False(t, sight.Clear(e, 9))
	assert.True(t, sight.Show(e, 1))
	c.Disconnect()
	g.run(10)
	assert.False(t, sight.Show(e, 1), "it has left")
	g.world.RemoveEntity(e)
	for _, say := range []func(){func() { sight.Show(e, 1) }, func() { sight.Hide(e, 1) }} {
		assert.Panics(t, say)
	}
	assert.False(t, sight.Clear(e, 1))
	assert.False(t, sight.Sees(e, 1))
	g.run(10)
}

// In steady state, a tick in which entities appear and disappear by relevance allocates nothing on
// the server. Entities that stay relevant cost nothing either.
//
// Proves: R40
func TestRelevanceThatFlipsAllocatesNothing(t *testing.T) {
	g := newGame(t)
	sight, rooms := plugin.NewRelevance(g.world), plugin.NewRooms(g.world)
	places := plugin.NewOverride[spot](g.world)
	var all []ecs.Entity
	for n := range uint32(60) {
		r := components.Replicate{Relevance: components.ByInterest, Group: components.Group(n / 12 * (n % 4))}
		if n%7 == 0 {
			r.Target = g.targets().Room(9)
		}
		e := g.spawnOf(r, n)
		if n%4 == 0 {
			places.SetTarget(e, g.targets().Only(1))
		}
		all = append(all, e)
	}
	g.join(1)
	g.join(2)
	g.run(30)
	tick := 0
	step := func() {
		tick++
		e := all[tick%len(all)]
		if tick/len(all)%2 == 0 {
			sight.Show(e, 1)
			rooms.AddEntity(3, e)
		} else {
			sight.Clear(e, 1)
			rooms.RemoveEntity(3, e)
		}
		if tick%10 == 0 {
			rooms.AddClient(3, 2)
			rooms.AddClient(9, 1)
		} else if tick%10 == 5 {
			rooms.RemoveClient(3, 2)
			rooms.RemoveClient(9, 1)
		}
		at[spot](g.world, e).X++
		g.run(1)
	}
	for range 7200 {
		step()
	}
	assert.Zero(t, alloctest.Count(600, step))
}
