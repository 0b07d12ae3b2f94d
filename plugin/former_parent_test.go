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

// detachWays are the ways in which a child without a Replicate of the game's own loses its parent.
// Each runs for a number of ticks.
var detachWays = map[string]func(g familyGame, child, parent ecs.Entity){
	"its relation is removed": func(g familyGame, child, _ ecs.Entity) { g.detach(child) },
	"it has no parent":        func(g familyGame, child, _ ecs.Entity) { g.attach(child, ecs.Entity{}) },
	"its parent is not replicated": func(g familyGame, child, _ ecs.Entity) {
		names := generic.NewMap1[name](g.world)
		g.attach(child, names.New())
	},
	"it was paused with its parent": func(g familyGame, child, parent ecs.Entity) {
		tags := generic.NewMap1[components.Replicate](g.world)
		tags.Remove(parent)
		g.run(5)
		g.detach(child)
	},
	"its parent is paused in the same tick": func(g familyGame, child, parent ecs.Entity) {
		g.detach(child)
		g.world.Remove(parent, ecs.ComponentID[components.Replicate](g.world))
	},
	"its parent is removed in the same tick": func(g familyGame, child, parent ecs.Entity) {
		g.detach(child)
		g.world.RemoveEntity(parent)
	},
	"its parent is shown to all in the same tick": func(g familyGame, child, parent ecs.Entity) {
		g.retarget(parent, components.Everyone)
		g.detach(child)
	},
	"its parent loses its parent in the same tick": func(g familyGame, child, parent ecs.Entity) {
		g.detach(parent)
		g.detach(child)
		g.retarget(parent, components.Everyone)
	},
	"it has another parent for no time": func(g familyGame, child, _ ecs.Entity) {
		g.attach(child, g.spawn(spot{}, name{98}))
		g.detach(child)
	},
}

// A child that loses its parent is for the clients that its former ancestors were for, and so are
// its descendants, until the game changes its Replicate or it has a parent again.
//
// Proves: H8, H9
func TestADetachedChildIsForThoseThatItsParentWasFor(t *testing.T) {
	for way, detach := range detachWays {
		t.Run(way, func(t *testing.T) {
			g := newFamilyGame(t)
			sets, relevance := g.targets(), plugin.NewRelevance(g.world)
			a, b := g.join(1), g.join(2)
			root := g.spawnIn(sets.Only(1, 3), 0, spot{}, name{1})
			parent := g.spawnIn(sets.Only(1, 2, 3), 0, spot{}, name{2})
			g.attach(parent, root)
			child := g.child(parent, name{3})
			below := g.child(child, name{4})
			lowest := g.child(below, name{5})
			g.run(30)
			assert.Equal(t, []uint32{1, 2, 3, 4, 5}, a.ids())
			kept := a.copies()
			parts := func(p *player) (ids []uint32) {
				for _, id := range p.ids() {
					if id > 2 && id < 90 {
						ids = append(ids, id)
					}
				}
				return ids
			}
			sees := func(p *player, ids ...uint32) {
				t.Helper()
				assert.Equal(t, ids, parts(p))
			}
			detach(g, child, parent)
			g.run(10)
			sees(a, 3, 4, 5)
			sees(b)
			for _, id := range []uint32{3, 4, 5} {
				assert.Equal(t, kept[id], a.copies()[id], "it stays the same entity")
			}
			at[spot](g.world, child).X = 5
			for id := range entangle.ClientID(components.MaxSets) {
				sets.Only(2, 4, 100+id) // as many sets as possible
			}
			late, fourth := g.join(3), g.join(4)
			g.run(20)
			assert.Equal(t, spot{X: 5}, spots(a.world)[3], "it goes on")
			sees(late, 3, 4, 5)
			sees(fourth)
			assert.True(t, relevance.Sees(child, 1))
			assert.False(t, relevance.Sees(child, 2))

			g.detach(below)
			g.run(10)
			sees(a, 3, 4, 5)
			sees(b)
			g.retarget(child, components.Everyone)
			g.run(10)
			sees(b, 3)
			g.attach(below, child)
			g.run(10)
			sees(b, 3, 4, 5)
			g.detach(below)
			g.detach(lowest)
			g.run(10)
			sees(b, 3, 4, 5)
		})
	}
}

// A child that loses its parent in the tick in which the game changes its Replicate, or replaces it
// by an equal one, is for the clients of that. So is one that has a Replicate of the game's own.
//
// Proves: H9
func TestTheGameShowsADetachedChild(t *testing.T) {
	for change, do := range map[string]func(g familyGame, child ecs.Entity){
		"target":   func(g familyGame, child ecs.Entity) { g.retarget(child, components.Everyone) },
		"priority": func(g familyGame, child ecs.Entity) { at[components.Replicate](g.world, child).Priority = 2 },
		"replaced": func(g familyGame, child ecs.Entity) {
			tags := generic.NewMap1[components.Replicate](g.world)
			tags.Remove(child)
			tags.Add(child)
		},
	} {
		for order, ticks := range map[string][2]int{"change, detach": {0, 10}, "detach, change": {10, 0}, "together": {0, 0}} {
			t.Run(change+": "+order, func(t *testing.T) {
				g := newFamilyGame(t)
				a, b := g.join(1), g.join(2)
				parent := g.spawnIn(g.targets().Only(1), 0, spot{}, name{1})
				child := g.child(parent, name{2})
				g.child(child, name{3})
				g.run(30)
				if order == "change, detach" && change != "replaced" {
					do(g, child)
					g.run(ticks[1])
					g.detach(child)
					g.run(10)
					assert.Equal(t, []uint32{1, 2, 3}, a.ids())
					assert.Empty(t, b.ids(), "it was changed as a child")
					return
				}
				if order == "change, detach" {
					do(g, child)
					g.run(ticks[1])
				}
				g.detach(child)
				g.run(ticks[0])
				if order == "detach, change" {
					assert.Empty(t, b.ids())
				}
				if order != "change, detach" {
					do(g, child)
				}
				g.run(10)
				assert.Equal(t, []uint32{1, 2, 3}, a.ids())
				assert.Equal(t, []uint32{2, 3}, b.ids())
			})
		}
	}
}

// A child that gets a replicated parent again is limited by that one and no longer by the former
// ones, even if the game changed its Replicate. While it waits for a paused parent it keeps what
// limited it.
//
// Proves: H8, H9
func TestADetachedChildGetsAParentAgain(t *testing.T) {
	g := newFamilyGame(t)
	tags := generic.NewMap1[components.Replicate](g.world)
	a, b := g.join(1), g.join(2)
	hidden, open, paused := g.spawnIn(g.targets().Only(1), 0, spot{}, name{1}), g.spawn(spot{}, name{2}), g.spawn(spot{}, name{3})
	child := g.child(hidden, name{4})
	sees := func(ids ...uint32) {
		t.Helper()
		g.run(10)
		assert.Equal(t, []uint32{1, 2, 3, 4}, a.ids())
		assert.Equal(t, ids, b.ids())
	}
	sees(2, 3)
	g.detach(child)
	sees(2, 3)
	g.attach(child, open)
	sees(2, 3, 4)
	g.detach(child)
	sees(2, 3, 4)
	g.attach(child, hidden)
	sees(2, 3)
	g.detach(child)
	g.attach(child, open)
	g.detach(child)
	sees(2, 3)

	at[components.Replicate](g.world, child).Priority = 2
	sees(2, 3, 4)
	g.attach(child, hidden)
	sees(2, 3)
	g.detach(child)
	sees(2, 3) // a changed Replicate is still the plugin's

	tags.Remove(paused)
	g.run(5)
	g.attach(child, paused)
	sees(2, 3)
	g.detach(child)
	sees(2, 3)
	g.attach(child, paused)
	sees(2, 3)
	tags.Add(paused)
	sees(2, 3, 4)
}

// A child that loses its parent keeps the relevance that it inherited: it is then shown where it is
// relevant itself.
//
// Proves: H9
func TestADetachedChildKeepsItsRelevance(t *testing.T) {
	for way, detach := range detachWays {
		t.Run(way, func(t *testing.T) {
			g := newFamilyGame(t)
			rooms := plugin.NewRooms(g.world)
			a, b := g.join(1), g.join(2)
			g.run(20)
			root := g.spawnOf(components.Replicate{Relevance: components.ByInterest}, 1)
			parent := g.spawnOf(components.Replicate{}, 2)
			g.attach(parent, root)
			child := g.child(parent, name{3})
			g.child(child, name{4})
			rooms.AddClient(1, 1)
			rooms.AddEntity(1, root)
			g.run(20)
			assert.Equal(t, []uint32{1, 2, 3, 4}, a.ids())
			assert.Empty(t, b.ids())
			detach(g, child, parent)
			g.run(10)
			parts := func(p *player) (ids []uint32) {
				for _, id := range p.ids() {
					if id == 3 || id == 4 {
						ids = append(ids, id)
					}
				}
				return ids
			}
			assert.Empty(t, parts(a), "it is in no room")
			assert.Empty(t, parts(b))
			rooms.AddEntity(2, child)
			rooms.AddClient(2, 2)
			g.run(10)
			assert.Empty(t, parts(a))
			assert.Equal(t, []uint32{3, 4}, parts(b))
			at[components.Replicate](g.world, child).Target = components.Everyone
			g.run(10)
			assert.Equal(t, []uint32{3, 4}, parts(a), "the game changed its Replicate")
		})
	}
}

// The owner of a former parent is the one at the time. A room is for the clients that are in it now.
//
// Proves: H9
func TestADetachedChildOfAnOwnerAndOfARoom(t *testing.T) {
	g := newFamilyGame(t)
	rooms := plugin.NewRooms(g.world)
	a, b := g.join(1), g.join(2)
	g.run(20)
	owned := g.spawnIn(components.Owner, 0, spot{}, name{1})
	g.control(owned, components.ControlledBy{Client: 1})
	roomy := g.spawnIn(g.targets().Room(7), 0, spot{}, name{2})
	rooms.AddClient(7, 1)
	dropped, left := g.child(owned, name{3}), g.child(roomy, name{4})
	g.child(left, name{5})
	g.run(30)
	assert.Equal(t, []uint32{1, 2, 3, 4, 5}, a.ids())
	assert.Empty(t, b.ids())
	g.control(owned, components.ControlledBy{Client: 2})
	g.detach(dropped)
	g.detach(left)
	g.run(10)
	assert.Equal(t, []uint32{2, 3, 4, 5}, a.ids())
	assert.Equal(t, []uint32{1}, b.ids())
	rooms.AddClient(7, 2)
	g.run(10)
	assert.Equal(t, []uint32{1, 2, 4, 5}, b.ids())
	rooms.RemoveClient(7, 1)
	g.run(10)
	assert.Equal(t, []uint32{3}, a.ids())
}

// The hierarchy does nothing below a parent with NoReplicateChildren: a child with a Replicate of
// its own is for the clients of its own target, whatever the target of the parent is.
//
// Proves: H3
func TestAnExcludedChildIsForItsOwnTarget(t *testing.T) {
	g := newFamilyGame(t)
	sets, apart := g.targets(), generic.NewMap1[components.NoReplicateChildren](g.world)
	a, b := g.join(1), g.join(2)
	parent := g.spawnIn(sets.Only(1), 0, spot{}, name{1})
	apart.Assign(parent, &components.NoReplicateChildren{})
	child := g.spawnIn(sets.Only(2), 0, spot{}, name{2})
	g.attach(child, parent)
	g.child(parent, name{3})
	sees := func(first, second []uint32) {
		t.Helper()
		g.run(10)
		assert.Equal(t, first, a.ids())
		assert.Equal(t, second, b.ids())
	}
	sees([]uint32{1}, []uint32{2})
	g.retarget(parent, components.Nobody)
	sees(nil, []uint32{2})
	g.retarget(child, components.Everyone)
	sees([]uint32{2}, []uint32{2})
	apart.Remove(parent)
	sees(nil, nil)
	apart.Assign(parent, &components.NoReplicateChildren{})
	sees([]uint32{2}, []uint32{2})
}
