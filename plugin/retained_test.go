package plugin_test

import (
	"fmt"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
)

// spawnRetained spawns a retained entity in a group.
func (g *game) spawnRetained(group components.Group, n uint32) ecs.Entity {
	return g.spawnOf(components.Replicate{Relevance: components.Retained, Group: group}, n)
}

// A retained entity that becomes irrelevant stays on the client in its last state. Nothing of it is
// sent except its despawn. When it is relevant again, it gets its present values.
//
// Proves: V4
func TestWhatIsRetainedStaysAndFreezes(t *testing.T) {
	for _, group := range []components.Group{0, 3} {
		h := newHouse(t)
		e := h.spawnRetained(group, 7)
		flags := generic.NewMap1[flag](h.world)
		h.rooms.AddEntity(roomA, e)
		h.run(10)
		assert.Empty(t, h.a.ids(), "it never mattered")
		h.rooms.AddClient(roomA, 1)
		h.run(10)
		kept := h.a.copies()[7]
		h.rooms.RemoveClient(roomA, 1)
		h.run(10)
		h.quiet(10, func() {
			at[spot](h.world, e).X = 50
			flags.Add(e)
			h.run(2)
			at[spot](h.world, e).X = 60
		})
		assert.Equal(t, map[uint32]spot{7: {7, 1}}, spots(h.a.world))
		assert.Zero(t, count[flag](h.a.world))
		assert.Equal(t, kept, h.a.copies()[7])

		h.rooms.AddClient(roomA, 1)
		h.run(10)
		assert.Equal(t, map[uint32]spot{7: {60, 1}}, spots(h.a.world))
		assert.Equal(t, 1, count[flag](h.a.world))
		assert.Equal(t, kept, h.a.copies()[7], "it is the same entity")
		at[spot](h.world, e).X = 61
		h.run(10)
		assert.Equal(t, map[uint32]spot{7: {61, 1}}, spots(h.a.world))

		h.rooms.RemoveEntity(roomA, e)
		h.run(10)
		h.world.RemoveEntity(e)
		h.run(10)
		assert.Empty(t, h.a.ids(), "its end is told")
		assert.Empty(t, h.b.ids())
	}
}

// If the target or an override takes away part of a retained group, the client loses that part and
// nothing else, whether in the tick in which the group becomes retained or later.
//
// Proves: V4, V11
func TestWhatIsRetainedDoesNotGoBeyondTheTarget(t *testing.T) {
	type scene struct {
		*house
		e, mate ecs.Entity
		places  plugin.Override[spot]
		flags   plugin.Override[flag]
	}
	both := map[uint32]spot{7: {7, 1}, 8: {8, 1}}
	for what, c := range map[string]struct {
		change func(*scene)
		left   []uint32
		places map[uint32]spot
		flags  int
	}{
		"the target leaves it out": {func(s *scene) {
			s.tag(s.e).Target, s.tag(s.mate).Target = s.targets().Only(2), components.Nobody
		}, nil, nil, 0},
		"a part of the group is taken away":      {func(s *scene) { s.tag(s.mate).Target = s.targets().Only(2) }, []uint32{7}, map[uint32]spot{7: {7, 1}}, 0},
		"a component is taken away":              {func(s *scene) { s.places.SetTarget(s.e, s.targets().Only(2)) }, []uint32{7, 8}, map[uint32]spot{8: {8, 1}}, 1},
		"a component is nobody's":                {func(s *scene) { s.places.SetTarget(s.mate, components.Nobody) }, []uint32{7, 8}, map[uint32]spot{7: {7, 1}}, 1},
		"a component is for a room that it left": {func(s *scene) { s.rooms.RemoveClient(roomB, 1) }, []uint32{7, 8}, map[uint32]spot{7: {7, 1}}, 1},
		"a component of each is taken away": {func(s *scene) {
			s.places.SetTarget(s.e, components.Nobody)
			s.flags.SetTarget(s.mate, s.targets().Only(2))
		}, []uint32{7, 8}, map[uint32]spot{8: {8, 1}}, 0},
		"one ends, and of the other a component is taken away": {func(s *scene) {
			s.world.RemoveEntity(s.e)
			s.flags.SetTarget(s.mate, components.Nobody)
		}, []uint32{8}, map[uint32]spot{8: {8, 1}}, 0},
		"one goes to another group, and of the other a component is taken away": {func(s *scene) {
			s.tag(s.e).Group, s.tag(s.e).Relevance = 0, components.Always
			s.flags.SetTarget(s.mate, s.targets().Only(2))
		}, []uint32{7, 8}, both, 0},
		"it is owned by another":  {func(s *scene) { s.control(s.e, components.ControlledBy{Client: 2}) }, []uint32{7, 8}, both, 1},
		"the target widens":       {func(s *scene) { s.tag(s.e).Target = components.NotOwner }, []uint32{7, 8}, both, 1},
		"a value changes with it": {func(s *scene) { at[spot](s.world, s.e).X = 70; s.flags.SetTarget(s.mate, components.Nobody) }, []uint32{7, 8}, both, 0},
		"a component comes, hidden": {func(s *scene) {
			marks := generic.NewMap1[flag](s.world)
			marks.Add(s.e)
			s.flags.SetTarget(s.e, s.targets().Only(2))
		}, []uint32{7, 8}, both, 1},
		"a hidden one joins": {func(s *scene) {
			s.spawnOf(components.Replicate{Relevance: components.Retained, Target: s.targets().Only(2), Group: 3}, 9)
		}, []uint32{7, 8}, both, 1},
		"a component that it has lost since is taken away": {func(s *scene) {
			marks := generic.NewMap1[flag](s.world)
			marks.Remove(s.mate)
			s.flags.SetTarget(s.mate, s.targets().Only(2))
		}, []uint32{7, 8}, both, 0},
		"a component that it lacks is taken away": {func(s *scene) { s.flags.SetTarget(s.e, s.targets().Only(2)) }, []uint32{7, 8}, both, 1},
		"a component that it lacks is nobody's":   {func(s *scene) { s.flags.SetTarget(s.e, components.Nobody) }, []uint32{7, 8}, both, 1},
		"one joins":                               {func(s *scene) { s.spawnRetained(3, 9) }, []uint32{7, 8}, both, 1},
	} {
		for _, together := range []bool{false, true} {
			s := &scene{house: newHouse(t)}
			s.places, s.flags = plugin.NewOverride[spot](s.world), plugin.NewOverride[flag](s.world)
			s.e, s.mate = s.spawnRetained(3, 7), s.spawnRetained(3, 8)
			marks := generic.NewMap1[flag](s.world)
			marks.Add(s.mate)
			s.places.SetTarget(s.mate, s.targets().Room(roomB))
			s.rooms.AddClient(roomB, 1)
			s.rooms.AddClient(roomA, 1)
			s.rooms.AddEntity(roomA, s.e)
			s.run(10)
			assert.Len(t, spots(s.a.world), 2)
			copies := s.a.copies()
			s.rooms.RemoveClient(roomA, 1)
			if !together {
				s.run(10)
				assert.Equal(t, []uint32{7, 8}, s.a.ids(), what)
			}
			c.change(s)
			s.run(10)
			why := fmt.Sprintf("%s, in the same tick: %v", what, together)
			assert.Equal(t, c.left, s.a.ids(), why)
			assert.Equal(t, c.flags, count[flag](s.a.world), why)
			for _, id := range c.left {
				assert.Equal(t, copies[id], s.a.copies()[id], why)
			}
			places := spots(s.a.world)
			if len(places) == 0 {
				places = nil
			}
			assert.Equal(t, c.places, places, why)
		}
	}
}

// If a retained entity is paused, the client loses the parts taken away from it only when it is
// resumed. A group that becomes visible again arrives with its present values and everything that
// is for the client.
//
// Proves: V4, V11
func TestWhatIsRetainedLosesWhenItIsResumed(t *testing.T) {
	for _, group := range []components.Group{0, 3} {
		h := newHouse(t)
		places, tags := plugin.NewOverride[spot](h.world), generic.NewMap1[components.Replicate](h.world)
		e, mate := h.spawnRetained(group, 7), h.spawnRetained(group, 8)
		h.rooms.AddClient(roomA, 1)
		h.rooms.AddEntity(roomA, e)
		h.rooms.AddEntity(roomA, mate)
		h.run(10)
		copies := h.a.copies()
		h.rooms.RemoveClient(roomA, 1)
		h.run(10)
		was := *h.tag(e)
		tags.Remove(e)
		h.run(10)
		places.SetTarget(e, h.targets().Only(2))
		h.run(10)
		assert.Equal(t, map[uint32]spot{7: {7, 1}, 8: {8, 1}}, spots(h.a.world), "paused")
		tags.Assign(e, &was)
		h.run(10)
		assert.Equal(t, map[uint32]spot{8: {8, 1}}, spots(h.a.world), "resumed")
		assert.Equal(t, copies, h.a.copies())
		places.Clear(e)
		h.run(10)
		assert.Equal(t, map[uint32]spot{8: {8, 1}}, spots(h.a.world), "it may be seen again, and is not shown")
		at[spot](h.world, e).X = 70
		h.rooms.AddClient(roomA, 1)
		h.run(10)
		assert.Equal(t, map[uint32]spot{7: {70, 1}, 8: {8, 1}}, spots(h.a.world), "shown")
		assert.Equal(t, copies, h.a.copies())
	}
}

// Always, ByInterest and Retained can follow each other in any order, whether the entity is
// relevant to a client or not. Only a group that was shown is retained, and an entity of its own that was for all and
// Always gets another group when it is Retained.
//
// Proves: V4
func TestRelevanceChangesAtRunTime(t *testing.T) {
	for what, some := range map[string]bool{"for all": false, "for some": true} {
		for _, group := range []components.Group{0, 3} {
			t.Run(what, func(t *testing.T) { turnRelevance(t, group, some) })
		}
	}
}

func turnRelevance(t *testing.T, group components.Group, some bool) {
	h := newHouse(t)
	e := h.spawnRetained(group, 7)
	if some {
		h.tag(e).Target = h.targets().Except(9)
	}
	h.rooms.AddEntity(roomA, e)
	h.rooms.AddClient(roomA, 2)
	turn := func(r components.Relevance, as ...uint32) {
		t.Helper()
		h.tag(e).Relevance = r
		at[spot](h.world, e).X++
		h.run(10)
		assert.Equal(t, as, h.a.ids(), "%v", r)
		assert.Equal(t, map[uint32]spot{7: *at[spot](h.world, e)}, spots(h.b.world), "to client 2 it matters")
	}
	kept := []uint32{7}
	if group == 0 && !some {
		kept = nil
	}
	turn(components.Retained)
	turn(components.Always, 7)
	turn(components.Retained, kept...)
	turn(components.ByInterest)
	turn(components.Always, 7)
	turn(components.ByInterest)
	h.rooms.AddClient(roomA, 1)
	turn(components.ByInterest, 7)
	turn(components.Retained, 7)
	h.rooms.RemoveClient(roomA, 1)
	turn(components.Retained, 7)
	stale := spots(h.a.world)
	turn(components.Retained, 7)
	assert.Equal(t, stale, spots(h.a.world))
	turn(components.Always, 7)
	assert.Equal(t, spots(h.b.world), spots(h.a.world))
	turn(components.Retained, kept...)
	turn(components.Always, 7)
	h.rooms.AddClient(roomA, 1)
	turn(components.Retained, 7)
	h.rooms.RemoveClient(roomA, 1)
	turn(components.Retained, 7)
	turn(components.ByInterest)
}

// A retained entity moves from group to group, is paused and resumed, and is despawned while
// paused, like any other entity.
func TestWhatIsRetainedMovesAndRests(t *testing.T) {
	h := newHouse(t)
	e, mate := h.spawnRetained(3, 7), h.spawnRetained(3, 8)
	h.rooms.AddClient(roomA, 1)
	h.rooms.AddEntity(roomA, mate)
	h.run(10)
	h.rooms.RemoveClient(roomA, 1)
	h.run(10)
	assert.Equal(t, []uint32{7, 8}, h.a.ids())
	tags := generic.NewMap1[components.Replicate](h.world)
	r := *h.tag(e)
	tags.Remove(e)
	h.run(10)
	assert.Equal(t, []uint32{7, 8}, h.a.ids())
	at[spot](h.world, e).X = 70
	tags.Assign(e, &r)
	h.run(10)
	assert.Equal(t, map[uint32]spot{7: {7, 1}, 8: {8, 1}}, spots(h.a.world))

	kept := h.a.copies()[7]
	h.tag(e).Group, h.tag(e).Relevance = 0, components.Always
	h.run(10)
	assert.Equal(t, map[uint32]spot{7: {70, 1}, 8: {8, 1}}, spots(h.a.world))
	assert.Equal(t, kept, h.a.copies()[7])
	h.tag(mate).Group = 5
	h.run(10)
	assert.Equal(t, []uint32{7}, h.a.ids(), "its new group was never shown")
	h.world.RemoveEntity(mate)
	h.world.RemoveEntity(e)
	h.run(10)
	assert.Empty(t, h.a.ids())
}

// A retained entity that changes its group out of view despawns at the client: with its first child, with a parent, or
// by the group of its Replicate. Later changes send nothing. It spawns again, with its present values, when it is
// relevant or becomes Always.
//
// Proves: V4
func TestWhatIsRetainedDespawnsWhenItChangesItsGroup(t *testing.T) {
	moves := map[string]func(g familyGame, e ecs.Entity){
		"a first child": func(g familyGame, e ecs.Entity) { g.child(e, name{ID: 8}) },
		"one for nobody": func(g familyGame, e ecs.Entity) {
			tags := generic.NewMap1[components.Replicate](g.world)
			tags.Assign(g.child(e, name{ID: 8}), &components.Replicate{Target: components.Nobody})
		},
		"a child of another": func(g familyGame, e ecs.Entity) { g.attach(e, g.spawnRetained(0, 9)) },
		"a group":            func(g familyGame, e ecs.Entity) { g.tag(e).Group = 7 },
		"an existing group":  func(g familyGame, e ecs.Entity) { g.tag(e).Group = 3 },
	}
	for how, move := range moves {
		for _, always := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, always: %v", how, always), func(t *testing.T) { retainAndMove(t, move, always) })
		}
	}
}

func retainAndMove(t *testing.T, move func(familyGame, ecs.Entity), always bool) {
	g := newFamilyGame(t)
	p, relevance := g.join(1), plugin.NewRelevance(g.world)
	g.run(30)
	g.spawnRetained(3, 9)
	e := g.spawnRetained(0, 7)
	relevance.Show(e, 1)
	g.run(10)
	relevance.Hide(e, 1)
	g.run(10)
	require.Equal(t, []uint32{7}, p.ids())
	move(g, e)
	g.run(10)
	assert.Empty(t, p.ids())
	g.quiet(10, func() {
		at[spot](g.world, e).X = 60
		g.tag(e).Group = 12
		g.run(5)
	})
	if always {
		relevance.Clear(e, 1)
		if g.tag(e).Relevance = components.Always; g.world.Has(e, ecs.ComponentID[components.ChildOf](g.world)) {
			g.detach(e) // the relevance of a child that is Always follows from its parent
		}
	} else {
		relevance.Show(e, 1)
	}
	g.run(10)
	assert.Equal(t, spot{60, 1}, spots(p.world)[7])
}

// A paused entity shows its group to nobody: not to a client that has it, and not to a client that
// enters the room that is its target, whether its relevance is Always or it is relevant to the
// client, and whether that happens before the group is examined again or at the same time. A client
// that sees the group because of another member gets the paused entity once it is resumed.
func TestAPausedEntityShowsItsGroupToNobody(t *testing.T) {
	for _, relevance := range []components.Relevance{components.Always, components.ByInterest} {
		for _, ticks := range []int{0, 1, 10} {
			h := newHouse(t)
			paused, mate, opener := h.spawnRetained(3, 7), h.spawnRetained(3, 8), h.spawnRetained(3, 9)
			h.tag(opener).Relevance = components.Always
			h.tag(paused).Relevance, h.tag(paused).Target = relevance, h.targets().Room(roomA)
			h.rooms.AddClient(roomA, 2)
			h.rooms.AddEntity(roomA, paused)
			h.run(10)
			assert.Equal(t, []uint32{8, 9}, h.a.ids())
			assert.Equal(t, []uint32{7, 8, 9}, h.b.ids())
			tags := generic.NewMap1[components.Replicate](h.world)
			was := *h.tag(paused)
			tags.Remove(paused)
			h.run(10)
			h.rooms.AddClient(roomA, 1)
			h.run(ticks)
			h.tag(opener).Relevance = components.ByInterest
			h.run(10)
			why := fmt.Sprintf("relevance %v, %d ticks", relevance, ticks)
			at[spot](h.world, mate).X = 50
			h.run(10)
			assert.Equal(t, map[uint32]spot{8: {8, 1}, 9: {9, 1}}, spots(h.a.world), "retained: %s", why)
			assert.Equal(t, map[uint32]spot{7: {7, 1}, 8: {8, 1}, 9: {9, 1}}, spots(h.b.world), "retained: %s", why)
			h.tag(mate).Relevance = components.Always
			h.run(10)
			assert.Equal(t, []uint32{8, 9}, h.a.ids(), why)
			tags.Assign(paused, &was)
			h.run(10)
			assert.Equal(t, []uint32{7, 8, 9}, h.a.ids(), why)
		}
	}
}

// An entity that is paused while a client retains it keeps its replica when the group is shown to
// that client again because of another member. It catches up when it is resumed.
func TestAnEntityPausedWhileRetainedStaysWhenItsGroupIsShownAgain(t *testing.T) {
	h := newHouse(t)
	e, mate := h.spawnRetained(3, 7), h.spawnRetained(3, 8)
	h.rooms.AddClient(roomA, 1)
	h.rooms.AddEntity(roomA, mate)
	h.run(10)
	h.rooms.RemoveClient(roomA, 1)
	h.run(10)
	kept, tags, was := h.a.copies()[7], generic.NewMap1[components.Replicate](h.world), *h.tag(e)
	tags.Remove(e)
	h.run(10)
	at[spot](h.world, e).X, at[spot](h.world, mate).X = 70, 80
	h.rooms.AddClient(roomA, 1)
	h.run(10)
	assert.Equal(t, map[uint32]spot{7: {7, 1}, 8: {80, 1}}, spots(h.a.world))
	assert.Equal(t, kept, h.a.copies()[7])
	tags.Assign(e, &was)
	h.run(10)
	assert.Equal(t, map[uint32]spot{7: {70, 1}, 8: {80, 1}}, spots(h.a.world))
	assert.Equal(t, kept, h.a.copies()[7])
}
