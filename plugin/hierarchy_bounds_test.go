package plugin_test

import (
	"runtime/debug"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

// A cycle of relations ends what the plugin does to children: here two moves in one tick make a cycle
// of a replicated line and a paused child. Adding Replicate to children and removing it must not
// follow each other around the cycle.
//
// Proves: Z17
func TestMovesAroundACycleEnd(t *testing.T) {
	g := newFamilyGame(t)
	a := g.join(1)
	g.run(20)
	root, paused := g.spawn(spot{}, name{1}), g.spawn(spot{}, name{2})
	top := g.child(root, name{3})
	last := g.child(g.child(top, name{4}), name{5})
	x := g.child(paused, name{6})
	g.run(10)
	require.Len(t, a.ids(), 6)
	tags := generic.NewMap1[components.Replicate](g.world)
	tags.Remove(paused)
	g.run(10)
	g.attach(top, x)
	g.attach(x, last)
	done := make(chan bool)
	go func() {
		g.run(1)
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		panic("the step of the server does not end") // not Fatal: it would go on taking memory
	}
	g.attach(top, root)
	g.run(20)
	assert.Len(t, a.ids(), 6, "the cycle is gone")
}

// predictedPair is a game in which one client predicts two entities.
func predictedPair(t *testing.T) (g familyGame, c *player, first, second ecs.Entity) {
	shared := func() *protocol.Protocol {
		p := crateProtocol()
		protocol.Component[components.ChildOf](p)
		return p
	}
	g = familyGame{newGameWith(t, func(c *plugin.ServerConfig) { c.Protocol = shared() })}
	c = g.joinWith(shared(), 1)
	m := generic.NewMap4[spot, crate, name, components.Replicate](g.world)
	first = m.NewWith(&spot{}, &crate{1}, &name{1}, &components.Replicate{Predict: components.Everyone})
	second = m.NewWith(&spot{}, &crate{1}, &name{2}, &components.Replicate{Predict: components.Everyone})
	return g, c, first, second
}

// The relations that a server sends may form a cycle. A client that despawns a predicted entity of it
// ahead of the server despawns each entity once.
//
// Proves: Z17
func TestADespawnInACycleEnds(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(64 << 20))
	g, c, e, f := predictedPair(t)
	g.attach(f, e)
	g.run(60)
	g.attach(e, f)
	g.run(60)
	require.Equal(t, []uint32{1, 2}, c.predicted(t))
	require.Equal(t, []uint32{2}, c.childrenOf(1))
	require.Equal(t, []uint32{1}, c.childrenOf(2))
	plugin.Despawn(c.world, c.copies()[1])
	g.run(60)
	require.Equal(t, []uint32{1, 2}, c.ids(), "the server keeps both")
}

// The same holds for a cycle of entities that the game spawned on the client, as children of a
// predicted entity: when the prediction ends, and when one of them is despawned.
//
// Proves: Z17
func TestACycleOfLocalChildrenEnds(t *testing.T) {
	for name, end := range map[string]func(g familyGame, c *player, e, child ecs.Entity){
		"the prediction ends": func(g familyGame, _ *player, e, _ ecs.Entity) {
			tags := generic.NewMap1[components.Replicate](g.world)
			tags.Get(e).Predict = components.Nobody
		},
		"the parent is despawned":  func(g familyGame, _ *player, e, _ ecs.Entity) { g.world.RemoveEntity(e) },
		"one of them is despawned": func(_ familyGame, c *player, _, child ecs.Entity) { plugin.Despawn(c.world, child) },
	} {
		t.Run(name, func(t *testing.T) {
			defer debug.SetMaxStack(debug.SetMaxStack(64 << 20))
			g, c, e, _ := predictedPair(t)
			g.run(60)
			of, crates := ecs.ComponentID[components.ChildOf](c.world), generic.NewMap1[crate](c.world)
			parent := c.copies()[1]
			var line [3]ecs.Entity
			for i := range line {
				line[i] = crates.NewWith(&crate{9})
				c.world.Add(line[i], of)
				c.world.Relations().Set(line[i], of, parent)
				parent = line[i]
			}
			g.run(10)
			c.world.Relations().Set(line[1], of, line[2])
			g.run(10)
			end(g, c, e, line[1])
			g.run(60)
			assert.Equal(t, plugin.Connected, c.State())
		})
	}
}

// A child with more than 64 ancestors is shown to no client, also to none that may not see the ancestors.
// It is shown once it has fewer.
//
// Proves: H2, H8
func TestChildrenThatAreTooDeepAreNotShown(t *testing.T) {
	for what, pause := range map[string]int{"at once": 0, "one by one": 1} {
		t.Run(what, func(t *testing.T) {
			g := newFamilyGame(t)
			a, b := g.join(1), g.join(2)
			g.run(20)
			first := g.spawnIn(g.targets().Only(1), 0, spot{}, name{1})
			last, middle := first, ecs.Entity{}
			for id := uint32(2); id <= 80; id++ {
				last = g.child(last, name{id})
				if id == 41 {
					middle = last
				}
				g.run(pause)
			}
			g.run(30)
			assert.Len(t, a.ids(), 65)
			assert.Empty(t, b.ids())
			g.attach(middle, first)
			g.run(30)
			assert.Len(t, a.ids(), 80, "all are near enough now")
			assert.Empty(t, b.ids())
		})
	}
}

// A child that has too many ancestors loses its parent: it stays hidden, as those are that its ancestors
// hid, until the game changes its Replicate.
//
// Proves: H9
func TestADetachedChildThatWasTooDeepIsForNobody(t *testing.T) {
	g := newFamilyGame(t)
	a, b := g.join(1), g.join(2)
	last := g.spawnIn(g.targets().Only(1), 0, spot{}, name{1})
	var tooDeep []ecs.Entity
	for id := uint32(2); id <= 68; id++ {
		if last = g.child(last, name{id}); id > 65 {
			tooDeep = append(tooDeep, last)
		}
	}
	g.run(30)
	g.detach(tooDeep[1]) // with a child below it
	g.run(10)
	g.detach(tooDeep[0])
	g.run(30)
	assert.Len(t, a.ids(), 65)
	assert.Empty(t, b.ids())
	g.retarget(tooDeep[1], components.Everyone)
	g.run(30)
	assert.Equal(t, []uint32{67, 68}, b.ids())
}

// A set of clients exists as long as a target has it that the game wrote to a child in the tick of its
// parent's pause, however many other sets are made before the parent resumes.
//
// Proves: R11
func TestATargetWrittenAsTheParentIsPausedHoldsItsSet(t *testing.T) {
	g := newFamilyGame(t)
	sets, tags := g.targets(), generic.NewMap1[components.Replicate](g.world)
	a, b := g.join(1), g.join(2)
	parent := g.spawnIn(components.Everyone, 0, spot{}, name{1})
	child := g.child(parent, name{2})
	g.run(30)
	g.retarget(child, sets.Only(1))
	tags.Remove(parent)
	g.run(10)
	for i := range 5000 {
		sets.Only(entangle.ClientID(100+i), 7)
	}
	g.run(10)
	tags.Add(parent)
	g.run(10)
	assert.Equal(t, []uint32{1, 2}, a.ids())
	assert.Equal(t, []uint32{1}, b.ids())
}
