package plugin_test

import (
	"fmt"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/plugin"
)

// largeFamily is the number of entities of a hierarchy with more members than a group may have.
const largeFamily = repl.MaxMembers + 104

// firstBeyond is the name of the first child that is beyond the group.
const firstBeyond = repl.MaxMembers + 2

// spawnLarge spawns a hierarchy of a root and its children. It returns the last of these, which are
// beyond the group. If the root exists for some ticks without children, it is beyond the group too:
// it enters after them.
func (g familyGame) spawnLarge(root components.Replicate, alone int) (parent ecs.Entity, beyond []ecs.Entity) {
	parent = g.spawnOf(root, 1)
	g.run(alone)
	for id := uint32(2); id <= largeFamily; id++ {
		if e := g.child(parent, name{id}); id >= firstBeyond {
			beyond = append(beyond, e)
		}
	}
	return parent, beyond
}

// A hierarchy has more members than a group may have, and a room decides which clients see it. Those
// beyond the group come and go with it when a client enters or leaves the room, or the root does.
//
// Proves: H6, H7, H8, H10, V5, V6
func TestAHierarchyBeyondAGroupIsSeenWhereItsRootIs(t *testing.T) {
	for what, root := range map[string]func(sets *components.Targets) components.Replicate{
		"target": func(sets *components.Targets) components.Replicate {
			return components.Replicate{Target: sets.Room(5)}
		},
		"relevance": func(*components.Targets) components.Replicate {
			return components.Replicate{Relevance: components.ByInterest}
		},
	} {
		for alone := range 2 {
			t.Run(fmt.Sprint(what, alone), func(t *testing.T) {
				g := newFamilyGame(t)
				a, b := g.join(1), g.join(2)
				rooms := plugin.NewRooms(g.world)
				g.run(20)
				parent, beyond := g.spawnLarge(root(g.targets()), alone)
				rooms.AddEntity(5, parent)
				g.run(60)
				sees := func(first, second int) {
					t.Helper()
					g.run(60)
					assert.Len(t, a.copies(), first)
					assert.Len(t, b.copies(), second)
				}
				sees(0, 0)
				rooms.AddClient(5, 1)
				sees(largeFamily, 0)
				at[spot](g.world, beyond[3]).X = 7
				rooms.AddClient(5, 2)
				sees(largeFamily, largeFamily)
				assert.InDelta(t, 7, spots(b.world)[firstBeyond+3].X, 0)
				g.retarget(beyond[0], g.targets().Only(2))
				sees(largeFamily-1, largeFamily)
				rooms.RemoveClient(5, 1)
				sees(0, largeFamily)
				rooms.RemoveClient(5, 2)
				sees(0, 0)
				rooms.AddClient(5, 2)
				sees(0, largeFamily)
				if what == "relevance" {
					rooms.RemoveEntity(5, parent)
					sees(0, 0)
					rooms.AddEntity(6, beyond[9])
					rooms.AddClient(6, 1)
					sees(largeFamily-1, 0) // a group is shown whole
					rooms.RemoveClient(6, 1)
				}
				g.detach(beyond[1])
				g.run(5)
				at[components.Replicate](g.world, beyond[1]).Relevance = components.Always
				g.retarget(beyond[1], components.Everyone)
				g.retarget(parent, components.Nobody)
				sees(1, 1)
			})
		}
	}
}

// A retained hierarchy with more members than a group may have stays on a client that leaves the
// room, as it was last sent, and is brought up to date when the client returns. A paused child
// beyond the group stays on the clients that have it.
//
// Proves: V4, R11
func TestAHierarchyBeyondAGroupIsRetained(t *testing.T) {
	g := newFamilyGame(t)
	a, b := g.join(1), g.join(2)
	rooms, tags := plugin.NewRooms(g.world), generic.NewMap1[components.Replicate](g.world)
	g.run(20)
	parent, beyond := g.spawnLarge(components.Replicate{Relevance: components.Retained}, 0)
	rooms.AddEntity(5, parent)
	rooms.AddClient(5, 1)
	g.run(60)
	kept := a.copies()
	require.Len(t, kept, largeFamily)
	require.Empty(t, b.copies())
	tags.Remove(beyond[6])
	g.run(5)
	rooms.RemoveClient(5, 1)
	g.run(10)
	at[spot](g.world, beyond[5]).X, at[spot](g.world, beyond[6]).X = 5, 6
	g.run(30)
	assert.Equal(t, kept, a.copies())
	assert.InDelta(t, 0, spots(a.world)[firstBeyond+5].X, 0)
	rooms.AddClient(5, 1)
	rooms.AddClient(5, 2)
	g.run(60)
	assert.Equal(t, kept, a.copies())
	assert.InDelta(t, 5, spots(a.world)[firstBeyond+5].X, 0)
	assert.InDelta(t, 0, spots(a.world)[firstBeyond+6].X, 0, "paused")
	assert.Len(t, b.copies(), largeFamily-1)
	tags.Add(beyond[6])
	g.run(10)
	for _, p := range []*player{a, b} {
		assert.InDelta(t, 6, spots(p.world)[firstBeyond+6].X, 0)
	}
}

// The clients in a room predict a hierarchy with more members than a group may have, and get a
// component of a child beyond the group.
//
// Proves: B25, V15
func TestAHierarchyBeyondAGroupIsPredictedInARoom(t *testing.T) {
	g := newFamilyGame(t)
	a, b := g.join(1), g.join(2)
	rooms, places := plugin.NewRooms(g.world), plugin.NewOverride[spot](g.world)
	g.run(20)
	_, beyond := g.spawnLarge(components.Replicate{Predict: g.targets().Room(5)}, 0)
	places.SetTarget(beyond[0], g.targets().Room(5))
	for _, in := range []bool{false, true, false} {
		predicted, placed := 0, largeFamily-1
		if in {
			rooms.AddClient(5, 1)
			predicted, placed = largeFamily, largeFamily
		} else {
			rooms.RemoveClient(5, 1)
		}
		g.run(60)
		assert.Equal(t, predicted, count[components.Predicted](a.world))
		assert.Equal(t, placed, count[spot](a.world))
		assert.Zero(t, count[components.Predicted](b.world))
		assert.Equal(t, largeFamily-1, count[spot](b.world))
	}
}

// While a group is full, a member beyond it stays in a group of its own, whatever happens to it, and
// the client is sent no more than the changed value.
func TestAMemberBeyondAGroupDoesNotMove(t *testing.T) {
	g := newFamilyGame(t)
	a := g.join(1)
	g.run(20)
	parent, beyond := g.spawnLarge(components.Replicate{}, 0)
	g.run(60)
	before := a.Stats().Replication.Actions
	g.control(parent, components.ControlledBy{Client: 7})
	g.run(20)
	assert.LessOrEqual(t, a.Stats().Replication.Actions-before, uint64(1), "the owner of the root")
	at[components.Replicate](g.world, beyond[0]).Priority = 3
	g.run(20)
	assert.LessOrEqual(t, a.Stats().Replication.Actions-before, uint64(1))
	assert.Len(t, a.copies(), largeFamily)
}
