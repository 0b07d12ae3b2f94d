package sink

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// group returns the group of a replicated entity.
func (k *relatives) group(e ecs.Entity) repl.Handle {
	k.t.Helper()
	h, ok := k.peer.Group(k.slot(e))
	require.True(k.t, ok, "it is in no group")
	return h
}

// requireHierarchy checks that entities are present, equal, and in one group.
func (k *relatives) requireHierarchy(root ecs.Entity, others ...ecs.Entity) {
	k.t.Helper()
	k.requireEqual()
	require.False(k.t, k.there(root).IsZero(), "the root is missing")
	for _, e := range others {
		require.False(k.t, k.there(e).IsZero(), "a child is missing")
		require.Equal(k.t, k.group(root), k.group(e))
	}
}

// requireSeparate checks that no two entities are in one group.
func (k *relatives) requireSeparate(all ...ecs.Entity) {
	k.t.Helper()
	seen := map[repl.Handle]bool{}
	for _, e := range all {
		require.False(k.t, seen[k.group(e)], "two are in one group")
		seen[k.group(e)] = true
	}
}

// A child needs no Replicate: it gets its parent's and joins its parent's group, and so does its
// own child.
//
// Proves: H1, H2
func TestAChildIsReplicatedWithItsParent(t *testing.T) {
	k := newRelatives(t)
	parent := k.spawn()
	child := k.child(parent)
	grandchild := k.child(child)
	lone := k.spawn()
	k.send()
	k.requireHierarchy(parent, child, grandchild)
	k.requireSeparate(parent, lone)
	assert.Equal(t, k.there(parent), k.target(child, k.childOf))
	assert.Equal(t, k.there(child), k.target(grandchild, k.childOf))
	assert.Equal(t, uint64(0), k.receiver.Stats().Updates, "one action brought them all")
}

// A relation that the game registered with Hierarchy works like components.ChildOf; any other
// relation does not.
//
// Proves: H1
func TestAHierarchyOfTheGamesOwn(t *testing.T) {
	k := newRelatives(t)
	parent, part, friend := k.spawn(), k.world.NewEntity(k.body), k.world.NewEntity(k.body)
	k.relate(part, k.part, parent)
	k.relate(friend, k.knows, parent)
	k.send()
	k.requireHierarchy(parent, part)
	assert.Equal(t, 2, k.applier.Replicas.Len(), "other relations bring nobody")
	k.world.RemoveEntity(parent)
	k.send()
	assert.False(t, k.world.Alive(part))
	assert.True(t, k.world.Alive(friend))
	assert.Zero(t, k.applier.Replicas.Len())
}

// A child that spawns later, or becomes one later, joins its parent's group together with its
// descendants.
//
// Proves: H5
func TestAChildIsAddedLater(t *testing.T) {
	k := newRelatives(t)
	parent, other := k.spawn(), k.spawn()
	below := k.child(other)
	k.send()
	copies := func() []ecs.Entity { return []ecs.Entity{k.there(parent), k.there(other), k.there(below)} }
	before := copies()
	child := k.child(parent)
	k.send()
	k.requireHierarchy(parent, child)
	k.relate(other, k.childOf, child)
	k.send()
	k.requireHierarchy(parent, child, other, below)
	assert.Equal(t, before, copies(), "nobody was made again")
	assert.Empty(t, k.despawned)
}

// A parent that is replicated later brings its children. A waiting child with a Replicate of its
// own joins it.
//
// Proves: H5
func TestAParentIsReplicatedLater(t *testing.T) {
	k := newRelatives(t)
	parent := k.world.NewEntity(k.body)
	child, own := k.child(parent), k.spawn()
	grandchild := k.child(child)
	k.relate(own, k.childOf, parent)
	k.send()
	assert.Equal(t, 1, k.applier.Replicas.Len(), "the one with a Replicate")
	assert.Equal(t, ecs.Entity{}, k.target(own, k.childOf))
	k.world.Add(parent, k.marker)
	k.send()
	k.requireHierarchy(parent, child, grandchild, own)
	assert.Equal(t, k.there(parent), k.target(own, k.childOf))
}

// An entity that loses its relation is a root again, with its descendants. An entity that gets
// another parent moves to that parent's group.
//
// Proves: H9
func TestAChildLeavesItsHierarchy(t *testing.T) {
	k := newRelatives(t)
	parent, other := k.spawn(), k.spawn()
	child := k.child(parent)
	grandchild, sibling := k.child(child), k.child(parent)
	k.send()
	there := k.there(child)
	k.world.Relations().Set(child, k.childOf, other)
	k.send()
	k.requireHierarchy(other, child, grandchild)
	k.requireHierarchy(parent, sibling)
	k.requireSeparate(parent, other)

	k.world.Remove(child, k.childOf)
	k.send()
	k.requireHierarchy(child, grandchild)
	k.requireSeparate(parent, other, child)
	assert.False(t, k.far.Has(there, ecs.ComponentID[components.ChildOf](k.far)))
	assert.Equal(t, there, k.there(child))
	assert.Empty(t, k.despawned)

	k.relate(child, k.childOf, ecs.Entity{})
	k.send()
	k.requireHierarchy(child, grandchild)
	k.requireSeparate(parent, other, child)
}

// The group is that of the root, whatever group a child's Replicate names.
//
// Proves: H10
func TestAHierarchyIsInTheGroupOfItsRoot(t *testing.T) {
	k := newRelatives(t)
	root, mate := k.spawn(), k.spawn()
	child := k.child(root)
	grandchild := k.child(child)
	k.send()
	group := func(e ecs.Entity) *components.Group { return &(*components.Replicate)(k.world.Get(e, k.marker)).Group }
	*group(child) = 7
	k.send()
	k.requireHierarchy(root, child, grandchild)
	*group(root), *group(mate) = 9, 9
	k.observe()
	k.deliver()
	k.requireHierarchy(root, child, grandchild, mate)
	*group(root) = 0
	k.send()
	k.requireHierarchy(root, child, grandchild)
	k.requireSeparate(root, mate)
	k.world.Remove(child, k.childOf)
	*group(mate) = 7
	k.send()
	k.requireHierarchy(mate, child, grandchild)
}

// A parent that does not replicate its children has no descendants on the peers. When it does, they
// come back.
//
// Proves: H3
func TestAParentExcludesItsChildren(t *testing.T) {
	k := newRelatives(t)
	parent := k.world.NewEntity(k.marker, k.body, k.excludes)
	child, own := k.child(parent), k.spawn()
	grandchild := k.child(child)
	k.relate(own, k.childOf, parent)
	k.send()
	assert.Equal(t, 2, k.applier.Replicas.Len(), "the parent, and the one replicated by itself")
	k.requireSeparate(parent, own)

	k.world.Remove(parent, k.excludes)
	k.send()
	k.requireHierarchy(parent, child, grandchild, own)
	assert.Empty(t, k.despawned)

	k.world.Add(parent, k.excludes)
	k.send()
	assert.Equal(t, 2, k.applier.Replicas.Len())
	assert.Len(t, k.despawned, 2)
	assert.False(t, k.world.Has(child, k.marker))
	k.requireSeparate(parent, own)

	(*relativeBody)(k.world.Get(child, k.body)).N = 5
	k.world.Remove(parent, k.excludes)
	k.send()
	k.requireHierarchy(parent, child, grandchild, own)
}

// A child that its parent does not replicate can be replicated by its own Replicate.
//
// Proves: H3
func TestAnExcludedChildIsReplicatedByItself(t *testing.T) {
	k := newRelatives(t)
	parent := k.spawn()
	child := k.child(parent)
	k.send()
	k.world.Add(parent, k.excludes)
	k.send()
	require.Equal(t, 1, k.applier.Replicas.Len())
	k.world.Add(child, k.marker)
	k.send()
	k.requireEqual()
	k.requireSeparate(parent, child)
	k.world.RemoveEntity(child)
	k.send()
	assert.Equal(t, 1, k.applier.Replicas.Len())
}

// Children despawn with their parent, on the server and with one action on the peers.
//
// Proves: H4
func TestAParentsEndRemovesAllBelowIt(t *testing.T) {
	k := newRelatives(t)
	parent := k.spawn()
	var below []ecs.Entity
	for e := parent; len(below) < 2*source.MaxDepth; {
		e = k.child(e)
		below = append(below, e, k.child(e))
	}
	own := k.spawn()
	k.relate(own, k.childOf, parent)
	unreplicated := k.world.NewEntity(k.body)
	stranger := k.child(unreplicated)
	saved := k.child(parent)
	k.send()
	k.requireEqual(below[len(below)-1]) // it is too deep
	k.world.Relations().Set(saved, k.childOf, unreplicated)
	k.world.RemoveEntity(parent)
	k.world.RemoveEntity(unreplicated)
	k.world.Remove(saved, k.childOf)
	k.send()
	for _, e := range append(below, own, stranger) {
		require.False(t, k.world.Alive(e))
	}
	assert.True(t, k.world.Alive(saved), "it had left before")
	assert.Equal(t, 1, k.applier.Replicas.Len())
	assert.Len(t, k.despawned, len(below)-1+2)
	k.requireEqual()
}

// A paused entity stays on the peers when its parent despawns.
//
// Proves: H4
func TestAPausedChildStaysWhenItsParentEnds(t *testing.T) {
	k := newRelatives(t)
	parent := k.spawn()
	child, other := k.child(parent), k.child(parent)
	k.send()
	corpse := k.there(child)
	k.world.Remove(child, k.marker)
	k.send()
	k.world.RemoveEntity(parent)
	k.send()
	assert.False(t, k.world.Alive(child))
	assert.False(t, k.world.Alive(other))
	assert.True(t, k.far.Alive(corpse))
	assert.Len(t, k.despawned, 2)
}

// The children of a paused entity stay on the peers with it when it despawns. If it is paused and
// despawned in one tick, it despawns there with its descendants, which were not paused yet; an
// entity without children stays.
//
// Proves: R12, H4
func TestTheChildrenOfWhoEndsInAPause(t *testing.T) {
	for _, between := range []bool{true, false} {
		k := newRelatives(t)
		parent, lone := k.spawn(), k.spawn()
		child := k.child(parent)
		grandchild, own := k.child(child), k.spawn()
		k.relate(own, k.childOf, parent)
		k.send()
		members := []ecs.Entity{k.there(parent), k.there(child), k.there(grandchild)}
		ofItsOwn, alone := k.there(own), k.there(lone)
		k.world.Remove(parent, k.marker)
		k.world.Remove(lone, k.marker)
		if between {
			k.send()
		}
		k.world.RemoveEntity(parent)
		k.world.RemoveEntity(lone)
		k.send()
		k.send()
		assert.False(t, k.world.Alive(child))
		for _, e := range members {
			assert.Equal(t, between, k.far.Alive(e), "a tick between: %v", between)
		}
		assert.False(t, k.far.Alive(ofItsOwn), "what has a Replicate of its own is not paused with its parent")
		assert.True(t, k.far.Alive(alone))
	}
}

// A paused parent pauses the children that follow it, and resumes them.
func TestAPausedParentPausesItsChildren(t *testing.T) {
	k := newRelatives(t)
	parent := k.spawn()
	child := k.child(parent)
	grandchild, held := k.child(child), k.child(parent)
	k.send()
	marker := (*components.Replicate)(k.world.Get(child, k.marker))
	marker.Priority = 3
	k.send()
	k.world.Remove(held, k.marker)
	k.send()
	k.world.Remove(parent, k.marker)
	(*relativeBody)(k.world.Get(grandchild, k.body)).N = 5
	k.send()
	n := func(e ecs.Entity) uint32 {
		return (*relativeBody)(k.far.Get(k.there(e), ecs.ComponentID[relativeBody](k.far))).N
	}
	assert.Zero(t, n(grandchild))
	assert.Equal(t, 4, k.applier.Replicas.Len())

	k.world.Add(parent, k.marker)
	k.send()
	k.requireHierarchy(parent, child, grandchild)
	assert.EqualValues(t, 5, n(grandchild))
	assert.EqualValues(t, 3, (*components.Replicate)(k.world.Get(child, k.marker)).Priority, "as it was before")
	assert.False(t, k.world.Has(held, k.marker), "what the game takes off it puts on again")
	k.world.Add(held, k.marker)
	k.send()
	k.requireHierarchy(parent, child, grandchild, held)

	k.world.Remove(parent, k.marker)
	(*relativeBody)(k.world.Get(held, k.body)).N = 6
	k.send()
	assert.EqualValues(t, 6, n(held), "it has a Replicate of its own now")
	k.requireSeparate(parent, held)
	assert.Empty(t, k.despawned)
}

// A child that leaves its paused parent is replicated again.
func TestAChildLeavesItsPausedParent(t *testing.T) {
	k := newRelatives(t)
	parent := k.spawn()
	child := k.child(parent)
	k.send()
	k.world.Remove(parent, k.marker)
	k.send()
	k.world.Remove(child, k.childOf)
	(*relativeBody)(k.world.Get(child, k.body)).N = 5
	k.send()
	k.requireEqual()
	assert.True(t, k.world.Has(child, k.marker))
	k.requireSeparate(parent, child)
}

// A child that the game itself has paused stays paused, whichever parent it leaves.
func TestAChildThatTheGamePausedStaysSo(t *testing.T) {
	k := newRelatives(t)
	parent := k.spawn()
	child := k.child(parent)
	k.send()
	k.world.Remove(child, k.marker)
	k.send()
	k.world.Remove(child, k.childOf)
	k.send()
	assert.False(t, k.world.Has(child, k.marker))
	assert.Equal(t, 2, k.applier.Replicas.Len(), "it is as it was last sent")
}

// A child that moves to a parent which is not replicated is replicated alone.
func TestAChildGoesToAParentThatIsNotReplicated(t *testing.T) {
	k := newRelatives(t)
	parent, stranger := k.spawn(), k.world.NewEntity(k.body)
	child := k.child(parent)
	k.send()
	k.world.Relations().Set(child, k.childOf, stranger)
	(*relativeBody)(k.world.Get(child, k.body)).N = 5
	k.send()
	assert.True(t, k.world.Has(child, k.marker))
	k.requireEqual()
	k.requireSeparate(parent, child)
	assert.True(t, k.target(child, k.childOf).IsZero())
}

// Cycles are cut open: no entity is its own ancestor.
func TestACircleIsCutOpen(t *testing.T) {
	var logged bytes.Buffer
	k := newRelatives(t)
	k.collector.Hierarchy.Log = slog.New(slog.NewTextHandler(&logged, nil))
	a, b, c := k.spawn(), k.spawn(), k.spawn()
	k.relate(a, k.childOf, b)
	k.relate(b, k.childOf, c)
	k.relate(c, k.childOf, a)
	below := k.child(b)
	k.send()
	k.send()
	k.requireHierarchy(a, b, c, below)
	assert.Equal(t, k.there(b), k.target(a, k.childOf), "the relations are replicated all the same")
	assert.Equal(t, k.there(a), k.target(c, k.childOf))
	assert.Equal(t, 1, strings.Count(logged.String(), "cycles"))

	k.world.Relations().Set(b, k.childOf, ecs.Entity{}) // this breaks the cycle
	k.send()
	k.requireHierarchy(b, a, c, below)
	k.world.Remove(a, k.childOf)
	k.send()
	k.requireHierarchy(a, c)
	k.requireSeparate(a, b)
	self := k.spawn()
	k.relate(self, k.childOf, self)
	k.send()
	k.requireEqual()
}

// An entity that is too deep is shown to no client until it is less deep.
func TestAHierarchyIsOnlySoDeep(t *testing.T) {
	for name, upwards := range map[string]bool{"from above": false, "from below": true} {
		t.Run(name, func(t *testing.T) {
			k := newRelatives(t)
			var chain []ecs.Entity
			for range source.MaxDepth + 4 {
				chain = append(chain, k.spawn())
			}
			for i := range len(chain) - 1 {
				if upwards {
					i = len(chain) - 2 - i
				}
				k.relate(chain[i+1], k.childOf, chain[i])
				if upwards {
					k.send()
				}
			}
			k.send()
			k.requireEqual(chain[source.MaxDepth+1:]...)
			assert.Equal(t, 1+source.MaxDepth, k.applier.Replicas.Len())
			k.world.Remove(chain[4], k.childOf)
			k.send()
			k.requireHierarchy(chain[4], chain[5:]...)
			k.world.RemoveEntity(chain[4])
			k.send()
			assert.Equal(t, 4, k.applier.Replicas.Len())
			assert.False(t, k.world.Alive(chain[len(chain)-1]))
		})
	}
}

// An entity that was too deep joins the hierarchy once it is less deep, together with as many of
// its descendants as are within the limit.
//
// Proves: H2
func TestAHierarchyGrowsNoDeeperThanItsLimit(t *testing.T) {
	k := newRelatives(t)
	chain := []ecs.Entity{k.spawn()}
	for i := range source.MaxDepth {
		chain = append(chain, k.child(chain[i]))
	}
	below := []ecs.Entity{k.spawn(), k.spawn(), k.spawn()}
	k.relate(below[2], k.childOf, below[1])
	k.relate(below[1], k.childOf, below[0])
	k.send()
	k.relate(below[0], k.childOf, chain[source.MaxDepth])
	k.send()
	k.requireEqual(below...)

	k.world.Relations().Set(chain[2], k.childOf, chain[0])
	k.send()
	k.requireEqual(below[1:]...)
	assert.Equal(t, k.group(chain[0]), k.group(below[0]))
}

// Relations from before the plugin, and more of them than are recorded between two ticks, are found
// all the same.
func TestAllChildrenAreLookedAtWhenTooMuchHappened(t *testing.T) {
	k := newRelatives(t)
	parent := k.spawn()
	for range source.MaxRecordedEvents + 10 {
		k.child(parent)
	}
	dead := k.spawn()
	orphan := k.child(dead)
	k.world.RemoveEntity(dead)
	assert.Len(t, k.collector.Hierarchy.Propagation.Events.Children, source.MaxRecordedEvents)
	k.send()
	all := ecs.All(k.childOf, k.marker)
	query := k.world.Query(&all)
	assert.Equal(t, source.MaxRecordedEvents+10, query.Count())
	query.Close()
	assert.False(t, k.world.Alive(orphan))
}

// A moving hierarchy allocates nothing, on its server and on its clients.
//
// Proves: R40
func TestAMovingHierarchyAllocatesNothing(t *testing.T) {
	k := newRelatives(t)
	var all []ecs.Entity
	for range 20 {
		parent := k.spawn()
		child := k.child(parent)
		all = append(all, parent, child, k.child(child))
	}
	k.send()
	var frame []byte
	n := uint32(0)
	tick := func() {
		n++
		for _, e := range all {
			(*relativeBody)(k.world.Get(e, k.body)).N = n
		}
		k.tick, k.events = k.tick+1, k.events[:0]
		if err := k.collector.Observe(k.tick); err != nil {
			t.Fatal(err)
		}
		k.peer.Prepare()
		for {
			frame = k.peer.AppendUpdates(frame[:0], 1000, k.packet)
			if len(frame) == 0 {
				break
			}
			if err := k.receiver.HandleUpdates(k.tick, frame); err != nil {
				t.Fatal(err)
			}
			k.peer.HandleAcked(k.packet)
			k.packet++
		}
	}
	for range 300 {
		tick()
	}
	assert.Zero(t, alloctest.Count(300, tick))
}

// The warning that components.ChildOf is not registered, so children are not sent, is logged once.
func TestAnUnregisteredChildOfIsLogged(t *testing.T) {
	for name, before := range map[string]bool{"before the plugin": true, "after it": false} {
		t.Run(name, func(t *testing.T) {
			var logged bytes.Buffer
			w := ecs.NewWorld()
			marker, childOf := ecs.ComponentID[components.Replicate](&w), ecs.ComponentID[components.ChildOf](&w)
			children := func() {
				parent := w.NewEntity(marker)
				for range 3 {
					w.Relations().Exchange(w.NewEntity(), []ecs.ID{childOf}, nil, childOf, parent)
				}
			}
			if before {
				children()
			}
			p, err := source.NewCollector(&w, nil, slog.New(slog.NewTextHandler(&logged, nil)))
			require.NoError(t, err)
			if !before {
				children()
			}
			require.NoError(t, p.Observe(1))
			require.NoError(t, p.Observe(2))
			assert.Equal(t, 1, strings.Count(logged.String(), "protocol.Component[components.ChildOf]"))
		})
	}
}

// A child without a send rate of its own has its parent's.
func TestAHierarchyHasTheRateOfItsRoot(t *testing.T) {
	k := newRelatives(t)
	parent := k.spawn()
	child := k.child(parent)
	grandchild := k.child(child)
	every := func(e ecs.Entity) *uint16 { return &(*components.Replicate)(k.world.Get(e, k.marker)).SendEvery }
	*every(parent) = 10
	updates := func() uint64 {
		before := k.receiver.Stats().Updates
		for range 40 {
			(*relativeBody)(k.world.Get(grandchild, k.body)).N++
			k.send()
		}
		return k.receiver.Stats().Updates - before
	}
	k.send()
	assert.InDelta(t, 4, updates(), 1)
	*every(parent) = 20
	assert.InDelta(t, 2, updates(), 1)
	*every(grandchild) = 5
	assert.InDelta(t, 8, updates(), 1, "the lowest of all")
	k.world.Remove(child, k.childOf)
	*every(grandchild) = 0
	assert.InDelta(t, 40, updates(), 1, "nobody above says anything")
}

// A group has a size limit. An entity beyond it gets a group of its own, with the visibility of its
// parent.
//
// Proves: H6
func TestAHierarchyThatIsTooLargeForAGroup(t *testing.T) {
	k := newRelatives(t)
	k.collector.Admit(1, k.peer)
	parent := k.spawn()
	for range repl.MaxMembers + 3 {
		k.child(parent)
	}
	k.send()
	k.requireEqual()
	require.Equal(t, repl.MaxMembers+4, k.applier.Replicas.Len())
	marker := func() *components.Replicate { return (*components.Replicate)(k.world.Get(parent, k.marker)) }
	marker().Target = components.Nobody
	k.send()
	assert.Zero(t, k.applier.Replicas.Len())
	marker().Target = components.Everyone
	k.send()
	assert.Equal(t, repl.MaxMembers+4, k.applier.Replicas.Len())
	marker().Target = k.collector.Visibility.Targets.Only(2)
	k.send()
	assert.Zero(t, k.applier.Replicas.Len())
	k.world.RemoveEntity(parent)
	k.send()
}

// A child that was paused with its parent resumes when it is released, also in a tick with more
// changes than are recorded.
//
// Proves: H9
func TestAChildIsLetGoInATickOfManyEvents(t *testing.T) {
	k := newRelatives(t)
	parent := k.spawn()
	child := k.child(parent)
	k.send()
	k.world.Remove(parent, k.marker)
	k.send()
	stranger := k.world.NewEntity(k.body)
	for range source.MaxRecordedEvents {
		k.child(stranger)
	}
	k.world.Remove(child, k.childOf)
	k.send()
	assert.True(t, k.world.Has(child, k.marker))
	k.requireEqual()
}
