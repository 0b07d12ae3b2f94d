package plugin_test

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

// familyGame is a game with relations between components.
type familyGame struct{ *game }

func familyProtocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "plugin test"})
	protocol.Component[components.ChildOf](p)
	return register(p)
}

func newFamilyGame(t *testing.T) familyGame {
	return familyGame{newGameWith(t, func(c *plugin.ServerConfig) { c.Protocol = familyProtocol() })}
}

// join adds a client with this game's protocol.
func (g familyGame) join(id entangle.ClientID, systems ...func(*plugin.Client)) *player {
	c, err := plugin.NewClient(plugin.ClientConfig{Protocol: familyProtocol(), Clock: g.clock})
	require.NoError(g.t, err)
	for _, add := range systems {
		add(c)
	}
	w := ecs.NewWorld()
	c.Initialize(&w)
	p := &player{Client: c, world: &w}
	g.clients = append(g.clients, p)
	g.connect(p, id)
	return p
}

// child makes a child without a Replicate.
func (g familyGame) child(parent ecs.Entity, n name) ecs.Entity {
	m := generic.NewMap3[spot, name, components.ChildOf](g.world, generic.T[components.ChildOf]())
	e := m.New(parent)
	*at[name](g.world, e) = n
	return e
}

// attach makes an existing entity a child.
func (g familyGame) attach(e, parent ecs.Entity) {
	id := ecs.ComponentID[components.ChildOf](g.world)
	if g.world.Has(e, id) {
		g.world.Relations().Set(e, id, parent)
		return
	}
	g.world.Relations().Exchange(e, []ecs.ID{id}, nil, id, parent)
}

func (g familyGame) detach(e ecs.Entity) {
	g.world.Remove(e, ecs.ComponentID[components.ChildOf](g.world))
}

// childrenOf returns the names of an entity's children on a client.
func (p *player) childrenOf(id uint32) (names []uint32) {
	f := generic.NewFilter2[name, components.ChildOf]().WithRelation(generic.T[components.ChildOf](), p.copies()[id])
	for q := f.Query(p.world); q.Next(); {
		n, _ := q.Get()
		names = append(names, n.ID)
	}
	return names
}

// Children and their descendants are replicated to every client, as children of their parents, and
// filters of the game find them. A client that joins late gets them, too.
//
// Proves: H1, H2
func TestAFamilyComesToEveryClient(t *testing.T) {
	g := newFamilyGame(t)
	a := g.join(1)
	g.run(20)
	root := g.spawn(spot{}, name{1})
	child := g.child(root, name{2})
	g.child(child, name{3})
	g.child(root, name{4})
	g.spawn(spot{}, name{5})
	g.run(10)
	b := g.join(2)
	g.run(30)
	for _, p := range []*player{a, b} {
		assert.Equal(t, []uint32{1, 2, 3, 4, 5}, p.ids())
		assert.ElementsMatch(t, []uint32{2, 4}, p.childrenOf(1))
		assert.Equal(t, []uint32{3}, p.childrenOf(2))
		assert.Empty(t, p.childrenOf(5))
	}
}

// A later child becomes a child of its parent's existing replica.
//
// Proves: H5
func TestAChildComesToItsParentLater(t *testing.T) {
	g := newFamilyGame(t)
	p := g.join(1)
	root, stray := g.spawn(spot{}, name{1}), g.spawn(spot{}, name{2})
	g.run(30)
	kept := p.copies()
	g.child(root, name{3})
	g.attach(stray, root)
	g.run(10)
	assert.ElementsMatch(t, []uint32{2, 3}, p.childrenOf(1))
	assert.Equal(t, kept[2], p.copies()[2], "it stays the same entity")

	g.detach(stray)
	g.run(10)
	assert.Equal(t, []uint32{3}, p.childrenOf(1))
	assert.False(t, p.world.Has(kept[2], ecs.ComponentID[components.ChildOf](p.world)))
}

// The removal of a relation and a new parent are each reported by one event.
//
// Proves: H9
func TestChangesOfAParentAreToldOnce(t *testing.T) {
	var updated plugin.Reader[plugin.ComponentUpdated[components.ChildOf]]
	var removed plugin.Reader[plugin.ComponentRemoved[components.ChildOf]]
	g := newFamilyGame(t)
	p := g.join(1, func(c *plugin.Client) {
		c.AddSystem(plugin.AfterReceive, plugin.Func(func(w *ecs.World) func() {
			updated = plugin.NewReader[plugin.ComponentUpdated[components.ChildOf]](w)
			removed = plugin.NewReader[plugin.ComponentRemoved[components.ChildOf]](w)
			return func() {}
		}))
	})
	count := func() (n [2]int) {
		for range 10 {
			g.run(1)
			n[0] += len(updated.Read())
			n[1] += len(removed.Read())
		}
		return n
	}
	one, two := g.spawn(spot{}, name{1}), g.spawn(spot{}, name{2})
	e := g.child(one, name{3})
	g.run(30)
	count()
	g.attach(e, two)
	assert.Equal(t, [2]int{1, 0}, count())
	assert.Equal(t, []uint32{3}, p.childrenOf(2))
	g.detach(e)
	assert.Equal(t, [2]int{0, 1}, count())
	assert.Equal(t, []uint32{1, 2, 3}, p.ids())
}

// Proves: H3
func TestAParentWithoutChildrenOnItsClients(t *testing.T) {
	g := newFamilyGame(t)
	p := g.join(1)
	root := g.spawn(spot{}, name{1})
	child := g.child(root, name{2})
	g.child(child, name{3})
	g.run(30)
	require.Equal(t, []uint32{1, 2, 3}, p.ids())
	apart := generic.NewMap1[components.NoReplicateChildren](g.world)
	apart.Assign(root, &components.NoReplicateChildren{})
	g.run(10)
	assert.Equal(t, []uint32{1}, p.ids())
	assert.True(t, g.world.Alive(child))
	apart.Remove(root)
	g.run(10)
	assert.Equal(t, []uint32{1, 2, 3}, p.ids())
	assert.Equal(t, []uint32{2}, p.childrenOf(1))
	assert.Equal(t, []uint32{3}, p.childrenOf(2))
}

// No frame shows a child without its parent, or part of a hierarchy, when a parent ends.
//
// Proves: H4
func TestAParentsEndIsItsChildrens(t *testing.T) {
	g := newFamilyGame(t)
	p := g.join(1)
	root := g.spawn(spot{}, name{1})
	child := g.child(root, name{2})
	grandchild := g.child(child, name{3})
	g.spawn(spot{}, name{4})
	g.run(30)
	g.world.RemoveEntity(root)
	for range 10 {
		g.run(1)
		require.Contains(t, [][]uint32{{1, 2, 3, 4}, {4}}, p.ids())
	}
	assert.Equal(t, []uint32{4}, p.ids())
	assert.False(t, g.world.Alive(child))
	assert.False(t, g.world.Alive(grandchild))
}

// A client sees a child if it sees its parent. A child with a target of its own is visible only if
// it includes the client, too. Narrowing a parent's target despawns all descendants.
//
// Proves: H6, H7, H8
func TestWhoSeesAFamily(t *testing.T) {
	g := newFamilyGame(t)
	sets := g.targets()
	a, b := g.join(1), g.join(2)
	root := g.spawn(spot{}, name{1})
	child := g.child(root, name{2})
	g.child(child, name{3})
	own := g.child(root, name{4})
	g.child(own, name{5})
	g.run(30)
	sees := func(first, second []uint32) {
		t.Helper()
		g.run(10)
		assert.Equal(t, first, a.ids())
		assert.Equal(t, second, b.ids())
	}
	all := []uint32{1, 2, 3, 4, 5}
	sees(all, all)
	kept := a.copies()

	g.retarget(own, sets.Only(1))
	sees(all, []uint32{1, 2, 3})
	g.retarget(root, sets.Only(1))
	sees(all, nil)
	g.retarget(own, components.Everyone)
	sees(all, nil)
	g.retarget(root, sets.Only(2))
	sees(nil, all)
	g.retarget(own, sets.Only(1))
	sees(nil, []uint32{1, 2, 3})
	g.retarget(own, components.Default)
	g.retarget(root, components.Nobody)
	sees(nil, nil)
	g.retarget(root, components.Everyone)
	sees(all, all)
	assert.ElementsMatch(t, []uint32{2, 4}, b.childrenOf(1))
	assert.NotEqual(t, kept, a.copies())

	g.detach(own)
	g.retarget(root, components.Nobody)
	sees([]uint32{4, 5}, []uint32{4, 5})
}

// A child has its own owner, which is also the Owner in its target.
//
// Proves: H8
func TestAChildOfItsOwnersEyesOnly(t *testing.T) {
	g := newFamilyGame(t)
	a, b := g.join(1), g.join(2)
	root := g.spawn(spot{}, name{1})
	g.control(root, components.ControlledBy{Client: 1})
	hand := g.child(root, name{2})
	g.control(hand, components.ControlledBy{Client: 1})
	g.run(30)
	g.retarget(hand, components.Owner)
	g.run(10)
	assert.Equal(t, []uint32{1, 2}, a.ids())
	assert.Equal(t, []uint32{1}, b.ids())
	g.control(hand, components.ControlledBy{Client: 2})
	g.run(10)
	assert.Equal(t, []uint32{1}, a.ids())
	assert.Equal(t, []uint32{1, 2}, b.ids())
	g.retarget(root, components.Owner)
	g.run(10)
	assert.Equal(t, []uint32{1}, a.ids())
	assert.Empty(t, b.ids(), "nobody sees a child without its parent")

	arm := g.child(root, name{3})
	g.run(5)
	g.retarget(arm, components.Owner)
	g.run(10)
	assert.Equal(t, []uint32{1}, a.ids(), "a child's owner is its own")
}

// Every client has a hierarchy as of one tick: changes to all of it in one tick are never visible
// in part.
//
// Proves: H10
func TestAFamilyIsAtOneTick(t *testing.T) {
	g := newFamilyGame(t)
	clients := []*player{g.join(1), g.join(2)}
	root := g.spawn(spot{}, name{1})
	family := []ecs.Entity{root, g.child(root, name{2}), g.child(root, name{3})}
	family = append(family, g.child(family[1], name{4}))
	at[components.Replicate](g.world, root).Group = 8
	g.run(5)
	whole := map[entangle.ClientID]int{}
	for tick := range 60 {
		for _, e := range family {
			at[spot](g.world, e).X = float32(tick)
		}
		if tick == 20 {
			at[components.Replicate](g.world, root).Group = 0
		}
		g.run(1)
		for _, p := range clients {
			if all := spots(p.world); len(all) > 0 {
				require.Len(t, all, len(family), "a part of it")
				for _, s := range all {
					require.Equal(t, all[1], s)
				}
				whole[p.ID()]++
			}
		}
	}
	assert.Greater(t, whole[1], 20)
	assert.Greater(t, whole[2], 20)
}

// A paused child stays on the clients that have it, whatever happens to its parent. It is not shown
// to clients that the parent's target includes later, nor to a late client, even if the parent's
// target included it at the pause, nor to clients of the target's set after the set was reused for
// others.
//
// Proves: R11, H8
func TestAPausedChildIsForThoseThatItsParentWasFor(t *testing.T) {
	g := newFamilyGame(t)
	sets, relevance := g.targets(), plugin.NewRelevance(g.world)
	a, b := g.join(1), g.join(2)
	parent := g.spawnIn(sets.Only(1, 4), 0, spot{}, name{7})
	child := g.child(parent, name{8})
	g.run(30)
	assert.Equal(t, []uint32{7, 8}, a.ids())
	tags := generic.NewMap1[components.Replicate](g.world)
	tags.Remove(child)
	g.run(1)
	g.retarget(parent, components.Everyone)
	g.run(10)
	for id := range entangle.ClientID(components.MaxSets) {
		sets.Only(2, 3, 100+id) // as many sets as possible
	}
	late, fourth := g.join(3), g.join(4)
	g.run(20)
	for _, of := range []struct {
		*player
		ids []uint32
	}{{a, []uint32{7, 8}}, {b, []uint32{7}}, {late, []uint32{7}}, {fourth, []uint32{7}}} {
		assert.Equal(t, of.ids, of.player.ids())
	}
	for id, sees := range []bool{1: true, 2: false, 3: false, 4: false} {
		assert.Equal(t, sees, id > 0 && relevance.Sees(child, entangle.ClientID(id)))
	}
	tags.Add(child)
	*tags.Get(child) = components.Replicate{}
	g.run(10)
	for _, of := range []*player{a, b, late, fourth} {
		assert.Equal(t, []uint32{7, 8}, of.ids())
	}
}

// The same holds if the parent was paused before the child. Descendants of the two that are not
// paused are visible to the clients that the targets of all ancestors included when the parent was
// paused, also to those of them that connect later.
//
// Proves: R11, H8
func TestAPausedChildOfAPausedParentIsForThoseThatAllAboveWereFor(t *testing.T) {
	g := newFamilyGame(t)
	sets, relevance := g.targets(), plugin.NewRelevance(g.world)
	a, b := g.join(1), g.join(2)
	root := g.spawnIn(sets.Only(1, 4), 0, spot{}, name{1})
	parent := g.spawnIn(components.Everyone, 0, spot{}, name{2})
	g.attach(parent, root)
	child := g.spawnIn(components.Everyone, 0, spot{}, name{3})
	g.attach(child, parent)
	below := g.spawnIn(components.Everyone, 0, spot{}, name{4})
	g.attach(below, child)
	g.run(30)
	assert.Equal(t, []uint32{1, 2, 3, 4}, a.ids())
	tags := generic.NewMap1[components.Replicate](g.world)
	tags.Remove(parent)
	g.run(1)
	tags.Remove(child)
	g.run(1)
	g.retarget(root, components.Everyone)
	g.run(20)
	late, fourth := g.join(3), g.join(4)
	g.run(20)
	assert.Equal(t, []uint32{1, 2, 3, 4}, a.ids())
	assert.Equal(t, []uint32{1}, b.ids())
	assert.Equal(t, []uint32{1}, late.ids())
	assert.Equal(t, []uint32{1, 4}, fourth.ids())
	for id, sees := range []bool{1: true, 2: false, 3: false, 4: false} {
		assert.Equal(t, sees, id > 0 && relevance.Sees(child, entangle.ClientID(id)), "client %d", id)
	}
}

// A child with a Replicate of its own is still replicated while its parent is paused, to the
// clients that both targets included, whatever happens to the targets of the parent and its
// ancestors: a pause shows nothing to additional clients.
//
// Proves: R11, V11, H7, H8
func TestAPausedParentShowsItsChildrenToNobodyElse(t *testing.T) {
	for _, group := range []components.Group{0, 4} {
		g := newFamilyGame(t)
		sets, tags := g.targets(), generic.NewMap1[components.Replicate](g.world)
		a, b := g.join(1), g.join(2)
		root := g.spawnIn(sets.Only(1, 3), group, spot{}, name{1})
		parent := g.spawnIn(components.Everyone, 0, spot{}, name{2})
		g.attach(parent, root)
		child := g.spawnIn(components.Everyone, 0, spot{}, name{3})
		g.attach(child, parent)
		g.child(child, name{4})
		g.spawnIn(components.Everyone, group, spot{}, name{9})
		all := []uint32{1, 2, 3, 4, 9}
		sees := func(of *player, ids ...uint32) {
			t.Helper()
			assert.Equal(t, ids, of.ids())
		}
		g.run(30)
		sees(a, all...)
		sees(b, 9)
		kept := a.copies()
		tags.Remove(parent)
		g.run(10)
		sees(a, all...)
		sees(b, 9)
		assert.Equal(t, kept, a.copies())
		at[spot](g.world, child).X = 5
		g.retarget(root, components.Everyone)
		g.run(10)
		assert.Equal(t, spot{X: 5}, spots(a.world)[3], "it goes on")
		sees(b, 1, 9)
		late := g.join(3)
		g.run(20)
		sees(late, 1, 3, 4, 9)
		g.retarget(child, sets.Only(2))
		g.run(10)
		sees(a, 1, 2, 9)
		sees(b, 1, 9)
		g.retarget(child, components.Everyone)
		tags.Remove(child)
		g.run(5)
		tags.Add(child)
		g.run(10)
		sees(a, all...)
		sees(b, 1, 9)
		tags.Add(parent)
		g.run(10)
		for _, p := range []*player{a, b, late} {
			sees(p, all...)
		}
		tags.Remove(parent)
		g.detach(child)
		g.run(10)
		sees(b, all...)
		g.retarget(root, components.Nobody)
		g.run(10)
		sees(b, 2, 3, 4, 9)
	}
}

// A child that gets too many ancestors, because one of them was attached to another entity, is shown to
// no client, until they are few enough again. That holds with a Replicate of its own, too.
//
// Proves: H2, H8
func TestAChildThatIsCutOffIsShownToNoClient(t *testing.T) {
	const cutOff = 55
	for _, own := range []bool{false, true} {
		g := newFamilyGame(t)
		a, b := g.join(1), g.join(2)
		top := g.spawnIn(g.targets().Only(1), 0, spot{}, name{1})
		last := top
		for id := uint32(2); id <= 64; id++ {
			parent := last
			if last = g.child(parent, name{id}); own && id == cutOff {
				g.world.Add(last, ecs.ComponentID[components.Replicate](g.world))
			}
		}
		g.run(30)
		require.Len(t, a.ids(), 64)
		require.Empty(t, b.ids())
		above := g.spawn(spot{}, name{70})
		for id := uint32(71); id <= 80; id++ {
			above = g.child(above, name{id})
		}
		g.attach(top, above)
		g.run(30)
		assert.Len(t, a.ids(), cutOff-1+11)
		assert.Len(t, b.ids(), 11)
		g.detach(top)
		at[spot](g.world, last).X = 3
		g.run(30)
		assert.Equal(t, spot{X: 3}, spots(a.world)[64])
		assert.Len(t, b.ids(), 11)
	}
}

// A child that was paused with its parent resumes, alone, when it loses that parent: when its relation
// is removed, or set to the zero entity, or to a parent that is not replicated. Its former ancestors
// still limit it. With another paused parent it stays paused.
//
// Proves: H9
func TestAChildPausedWithItsParentResumesWithoutIt(t *testing.T) {
	for how, lose := range map[string]func(g familyGame, child ecs.Entity){
		"removed":        func(g familyGame, child ecs.Entity) { g.detach(child) },
		"zero":           func(g familyGame, child ecs.Entity) { g.attach(child, ecs.Entity{}) },
		"not replicated": func(g familyGame, child ecs.Entity) { g.attach(child, g.world.NewEntity()) },
	} {
		t.Run(how, func(t *testing.T) {
			g := newFamilyGame(t)
			sets, tags := g.targets(), generic.NewMap1[components.Replicate](g.world)
			a, b := g.join(1), g.join(2)
			parent, other := g.spawnIn(sets.Only(1), 0, spot{}, name{1}), g.spawnIn(sets.Only(1), 0, spot{}, name{2})
			child := g.child(parent, name{3})
			g.run(30)
			tags.Remove(parent)
			tags.Remove(other)
			g.run(10)
			g.attach(child, other)
			at[spot](g.world, child).X = 4
			g.run(10)
			assert.Equal(t, spot{}, spots(a.world)[3], "paused with the other parent")
			lose(g, child)
			at[spot](g.world, child).X = 5
			g.run(10)
			assert.Equal(t, spot{X: 5}, spots(a.world)[3], "it goes on")
			assert.Empty(t, b.ids())
		})
	}
}

// The fields of a child's Replicate that the game writes in the tick of its parent's pause are there
// when both resume, though the plugin removes the child's Replicate in that tick.
//
// Proves: H9
func TestAReplicateWrittenAsTheParentIsPausedIsKept(t *testing.T) {
	g := newFamilyGame(t)
	sets, tags := g.targets(), generic.NewMap1[components.Replicate](g.world)
	a, b := g.join(1), g.join(2)
	parent := g.spawnIn(components.Everyone, 0, spot{}, name{1})
	child := g.child(parent, name{2})
	g.run(30)
	g.retarget(child, sets.Only(1))
	tags.Remove(parent)
	g.run(10)
	require.False(t, g.world.Has(child, ecs.ComponentID[components.Replicate](g.world)), "paused with its parent")
	tags.Add(parent)
	g.run(10)
	assert.Equal(t, sets.Only(1), g.tag(child).Target)
	assert.Equal(t, []uint32{1, 2}, a.ids())
	assert.Equal(t, []uint32{1}, b.ids())
}

// A child that inherits its relevance from its parent does so while the parent is paused, too: it
// is still replicated to the clients that saw both while the parent is relevant to them, and to
// other clients if the child itself is relevant to them. A retained child stays as it was last sent.
//
// Proves: R11, V5, V11
func TestAPausedParentsRelevanceIsItsChildrens(t *testing.T) {
	for _, own := range []components.Relevance{components.Always, components.ByInterest, components.Retained} {
		g := newFamilyGame(t)
		rooms, tags := plugin.NewRooms(g.world), generic.NewMap1[components.Replicate](g.world)
		a, b := g.join(1), g.join(2)
		g.run(20)
		parent := g.spawnOf(components.Replicate{Relevance: components.ByInterest}, 1)
		child := g.spawnOf(components.Replicate{Relevance: own}, 2)
		g.attach(child, parent)
		rooms.AddClient(1, 1)
		rooms.AddEntity(1, parent)
		g.run(20)
		assert.Equal(t, []uint32{1, 2}, a.ids())
		assert.Empty(t, b.ids())
		kept := a.copies()
		tags.Remove(parent)
		g.run(10)
		at[spot](g.world, child).X = 7
		g.run(10)
		assert.Equal(t, kept, a.copies())
		assert.InDelta(t, 7, spots(a.world)[2].X, 0)
		assert.Empty(t, b.ids())
		rooms.RemoveClient(1, 1)
		g.run(10)
		at[spot](g.world, child).X = 8
		g.run(10)
		assert.Contains(t, a.copies(), uint32(1), "the parent stays as it is")
		if own == components.Retained {
			assert.InDelta(t, 7, spots(a.world)[2].X, 0)
		} else {
			assert.Equal(t, []uint32{1}, a.ids())
		}
		rooms.AddClient(1, 2)
		rooms.AddEntity(2, child)
		g.run(10)
		assert.Empty(t, b.ids())
		rooms.AddClient(2, 2)
		g.run(10)
		assert.Equal(t, []uint32{2}, b.ids())
		a.Disconnect()
		g.run(5)
		again := g.join(1)
		g.run(20)
		assert.Empty(t, again.ids(), "a client that connects again inherits nothing")
	}
}
