package plugin_test

import (
	"slices"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
)

// A parent with an ancestor's target Owner or NotOwner is paused. The child stays visible to the
// clients that this target named at the pause, and to no others: not to the child's own owner, nor
// to the parent's, nor according to later changes of the ancestor's owner.
//
// Proves: R11, H8
func TestAPausedParentLeavesItsChildrenToTheOwnerAbove(t *testing.T) {
	for target, sees := range map[components.Target][4]bool{
		components.Owner:    {1: true, 2: false, 3: false},
		components.NotOwner: {1: false, 2: true, 3: true},
	} {
		g := newFamilyGame(t)
		tags, relevance := generic.NewMap1[components.Replicate](g.world), plugin.NewRelevance(g.world)
		clients := [4]*player{1: g.join(1), 2: g.join(2), 3: g.join(3)}
		root := g.spawnIn(target, 0, spot{}, name{1})
		parent := g.spawnIn(components.Everyone, 0, spot{}, name{2})
		child := g.spawnIn(components.Everyone, 0, spot{}, name{3})
		g.attach(parent, root)
		g.attach(child, parent)
		g.control(root, components.ControlledBy{Client: 1})
		g.control(parent, components.ControlledBy{Client: 2})
		g.control(child, components.ControlledBy{Client: 3})
		check := func(why string, ids ...uint32) {
			t.Helper()
			for id := entangle.ClientID(1); id <= 3; id++ {
				got := clients[id].ids()
				for _, want := range ids {
					assert.Equal(t, sees[id], slices.Contains(got, want), "target %v, client %d, entity %d: %s", target, id, want, why)
				}
				assert.Equal(t, sees[id], relevance.Sees(child, id), "target %v, client %d: %s", target, id, why)
			}
		}
		g.run(30)
		check("all are replicated", 1, 2, 3)
		tags.Remove(parent)
		g.run(10)
		check("the parent is paused", 1, 2, 3)
		g.control(root, components.ControlledBy{Client: 3})
		g.run(10)
		check("the ancestor has another owner", 2, 3)
		g.retarget(root, components.Everyone)
		g.run(10)
		check("the ancestor is for all", 2, 3)
	}
}

// A paused entity does not cause a retained group to be shown again: not when the client enters a
// room with the entity, and not when the group is examined for another reason. The group stays on
// the client as it is.
//
// Proves: R11
func TestAPausedEntityDoesNotShowARetainedGroupAgain(t *testing.T) {
	for what, look := range map[string]func(h *house, tag *components.Replicate){
		"the client comes into its room": func(h *house, _ *components.Replicate) { h.rooms.AddClient(roomA, 1) },
		"another's target changes":       func(h *house, tag *components.Replicate) { tag.Target = h.targets().Only(1, 2) },
	} {
		h := newHouse(t)
		paused, mate := h.spawnRetained(3, 7), h.spawnRetained(3, 8)
		h.rooms.AddClient(roomA, 1)
		h.rooms.AddEntity(roomA, paused)
		h.run(10)
		h.rooms.RemoveClient(roomA, 1)
		h.run(10)
		tags := generic.NewMap1[components.Replicate](h.world)
		tags.Remove(paused)
		h.run(10)
		look(h, h.tag(mate))
		h.run(10)
		at[spot](h.world, mate).X = 50
		h.run(10)
		assert.Equal(t, map[uint32]spot{7: {7, 1}, 8: {8, 1}}, spots(h.a.world), what)
		tags.Assign(paused, &components.Replicate{Relevance: components.Always, Group: 3})
		h.run(10)
		assert.Equal(t, map[uint32]spot{7: {7, 1}, 8: {50, 1}}, spots(h.a.world), what)
	}
}

// A paused entity in a group that a host's player retains stays there, as on a remote client: when
// the group is shown again for another member, and when the player leaves the room that is the
// paused entity's target.
//
// Proves: R11, C12
func TestWhatIsPausedStaysWithAHostsPlayer(t *testing.T) {
	var o told
	h := newHosted(t, o.systems()...).play()
	rooms, tags := plugin.NewRooms(h.world), generic.NewMap1[components.Replicate](h.world)
	remote := h.join(1)
	h.run(30)
	both := func(do func(entangle.ClientID)) { do(me); do(1) }
	enter := func(r components.Room) { both(func(id entangle.ClientID) { rooms.AddClient(r, id) }) }
	leave := func(r components.Room) { both(func(id entangle.ClientID) { rooms.RemoveClient(r, id) }) }
	paused, mate := h.spawnRetained(3, 7), h.spawnRetained(3, 8)
	h.tag(paused).Target = h.targets().Room(roomB)
	rooms.AddEntity(roomA, mate)
	enter(roomB)
	enter(roomA)
	stays := func(why string) {
		t.Helper()
		h.run(10)
		came := o.took()
		assert.Zero(t, came[1], "nothing despawns: %s", why)
		assert.Equal(t, []uint32{7, 8}, remote.ids(), why)
	}
	stays("shown")
	leave(roomA)
	stays("retained")
	was := *h.tag(paused)
	tags.Remove(paused)
	stays("paused")
	leave(roomB)
	stays("out of the room that is its target")
	at[spot](h.world, mate).X = 50
	enter(roomA)
	stays("shown again")
	assert.Equal(t, spot{50, 1}, spots(remote.world)[8])
	tags.Assign(paused, &was)
	h.run(10)
	assert.Equal(t, 1, o.took()[1], "it is not for the player")
	assert.Equal(t, []uint32{8}, remote.ids())
}

// A paused member stays on a client, and does not keep the rest of its group there: the others are
// despawned when they and the client are in different rooms, and return when they share one. A
// retained member stays as it was.
//
// Proves: V5, V6, V14
func TestAPausedMemberDoesNotKeepItsGroupInSight(t *testing.T) {
	leave := map[string]func(h *house, a, b ecs.Entity, sight plugin.Relevance) (back func()){
		"the entities leave": func(h *house, a, b ecs.Entity, _ plugin.Relevance) func() {
			for _, e := range []ecs.Entity{a, b} {
				h.rooms.RemoveEntity(roomA, e)
				h.rooms.AddEntity(roomB, e)
			}
			return func() { h.rooms.AddEntity(roomA, a) }
		},
		"the client leaves": func(h *house, _, _ ecs.Entity, _ plugin.Relevance) func() {
			h.rooms.RemoveClient(roomA, 1)
			return func() { h.rooms.AddClient(roomA, 1) }
		},
		"the game hides them": func(_ *house, a, b ecs.Entity, sight plugin.Relevance) func() {
			sight.Hide(a, 1)
			sight.Hide(b, 1)
			return func() { sight.Clear(a, 1) }
		},
	}
	for what, leave := range leave {
		for _, relevance := range []components.Relevance{components.ByInterest, components.Retained} {
			h := newHouse(t)
			sight, tags := plugin.NewRelevance(h.world), generic.NewMap1[components.Replicate](h.world)
			a := h.spawnOf(components.Replicate{Relevance: relevance, Group: 3}, 7)
			b := h.spawnOf(components.Replicate{Relevance: relevance, Group: 3}, 8)
			h.rooms.AddClient(roomA, 1)
			h.rooms.AddEntity(roomA, a)
			h.rooms.AddEntity(roomA, b)
			h.run(10)
			was, kept := *h.tag(b), h.a.copies()[8]
			tags.Remove(b)
			h.run(10)
			assert.True(t, sight.Sees(a, 1), what)
			back := leave(h, a, b, sight)
			h.run(10)
			at[spot](h.world, a).X, at[spot](h.world, b).X = 70, 80
			h.run(10)
			want := map[uint32]spot{8: {8, 1}}
			if relevance == components.Retained {
				want[7] = spot{7, 1}
			}
			assert.Equal(t, want, spots(h.a.world), what)
			assert.False(t, sight.Sees(a, 1), what)
			back()
			h.run(10)
			assert.Equal(t, map[uint32]spot{7: {70, 1}, 8: {8, 1}}, spots(h.a.world), what)
			assert.True(t, sight.Sees(a, 1), what)
			assert.Equal(t, kept, h.a.copies()[8], what)
			tags.Assign(b, &was)
			h.run(10)
			assert.Equal(t, map[uint32]spot{7: {70, 1}, 8: {80, 1}}, spots(h.a.world), what)
			assert.Equal(t, kept, h.a.copies()[8], what)
		}
	}
}

// A child that is paused, by the game or because it moved to a paused parent, stays on a client,
// and does not keep its former hierarchy there.
//
// Proves: V5, V14, H7
func TestAPausedChildDoesNotKeepItsFamilyInSight(t *testing.T) {
	for what, pause := range map[string]func(g familyGame, child, other ecs.Entity){
		"the game pauses it": func(g familyGame, child, _ ecs.Entity) {
			g.world.Remove(child, ecs.ComponentID[components.Replicate](g.world))
		},
		"it moves to a paused parent": func(g familyGame, child, other ecs.Entity) {
			g.world.Remove(other, ecs.ComponentID[components.Replicate](g.world))
			g.attach(child, other)
		},
	} {
		for own, spawn := range map[string]func(g familyGame, parent ecs.Entity) ecs.Entity{
			"without a Replicate": func(g familyGame, parent ecs.Entity) ecs.Entity { return g.child(parent, name{2}) },
			"with its own": func(g familyGame, parent ecs.Entity) ecs.Entity {
				child := g.spawn(spot{}, name{2})
				g.attach(child, parent)
				return child
			},
		} {
			g := newFamilyGame(t)
			rooms, sight := plugin.NewRooms(g.world), plugin.NewRelevance(g.world)
			p := g.join(1)
			g.run(20)
			parent, other := g.spawnOfInterest(1), g.spawnOfInterest(3)
			child := spawn(g, parent)
			rooms.AddClient(roomA, 1)
			rooms.AddEntity(roomA, parent)
			rooms.AddEntity(roomA, other)
			g.run(20)
			assert.Equal(t, []uint32{1, 2, 3}, p.ids())
			pause(g, child, other)
			g.run(10)
			assert.Equal(t, []uint32{1, 2, 3}, p.ids(), "%s, %s", what, own)
			rooms.RemoveEntity(roomA, parent)
			g.run(10)
			assert.NotContains(t, p.ids(), uint32(1), "%s, %s", what, own)
			assert.False(t, sight.Sees(parent, 1), "%s, %s", what, own)
			rooms.AddEntity(roomA, parent)
			g.run(10)
			assert.Equal(t, []uint32{1, 2, 3}, p.ids(), "%s, %s", what, own)
		}
	}
}

// A child with a Replicate of its own stays on a client while its paused parent, or an ancestor of
// that parent, is relevant to the client.
//
// Proves: V5, V14
func TestAChildOfAPausedParentIsInSightOfItsAncestors(t *testing.T) {
	g := newFamilyGame(t)
	rooms, tags := plugin.NewRooms(g.world), generic.NewMap1[components.Replicate](g.world)
	p := g.join(1)
	g.run(20)
	root, parent, child := g.spawnOfInterest(1), g.spawnOf(components.Replicate{}, 2), g.spawnOf(components.Replicate{}, 3)
	g.attach(parent, root)
	g.attach(child, parent)
	rooms.AddClient(roomA, 1)
	rooms.AddEntity(roomA, root)
	g.run(20)
	tags.Remove(parent)
	g.run(10)
	assert.Equal(t, []uint32{1, 2, 3}, p.ids())
	rooms.RemoveEntity(roomA, root)
	g.run(10)
	assert.Equal(t, []uint32{2}, p.ids())
	g.control(root, components.ControlledBy{Client: 1})
	g.run(10)
	assert.Equal(t, []uint32{1, 2, 3}, p.ids())
	g.control(root, components.ControlledBy{})
	g.run(10)
	assert.Equal(t, []uint32{2}, p.ids())
	g.tag(root).Relevance = components.Always
	g.run(10)
	assert.Equal(t, []uint32{1, 2, 3}, p.ids())
	g.tag(root).Relevance = components.ByInterest
	g.run(10)
	assert.Equal(t, []uint32{2}, p.ids())
}
