package sink

import (
	"log/slog"
	"testing"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// awaitGame is a world with entities that refer to entities which are not replicated. It is sent to
// copies.
type awaitGame struct {
	*copyGame
	marker, name ecs.ID
}

func newAwaitGame(t *testing.T) *awaitGame {
	infos := copiedProtocol(t)
	w := ecs.NewWorld()
	collector, err := source.NewCollector(&w, infos, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	g := &copyGame{t: t, world: &w, collector: collector, peer: collector.World.NewPeer()}
	g.copies = [2]*copyOf{newCopyOf(infos, false), newCopyOf(infos, true)}
	return &awaitGame{g, ecs.ComponentID[components.Replicate](&w), ecs.ComponentID[copiedName](&w)}
}

// stranger is an entity that is not replicated.
func (g *awaitGame) stranger() ecs.Entity { return g.world.NewEntity(g.name) }

func (g *awaitGame) holder(to ecs.Entity) ecs.Entity {
	e := g.world.NewEntity(g.marker, g.name)
	g.of(e, to)
	return e
}

func (g *awaitGame) of(e, to ecs.Entity) { (*copiedName)(g.world.Get(e, g.name)).Of = to }

func (g *awaitGame) waiting() int {
	n, _ := g.collector.PendingReferences()
	return n
}

// shown returns the entity that the reference in a slot of a copy points to.
func (g *awaitGame) shown(slot int) ecs.Entity {
	c := g.copies[0]
	return (*copiedName)(c.world.Get(c.applier.Replicas.entities[slot].entity, ecs.ComponentID[copiedName](c.world))).Of
}

// Proves: R27
func TestAReferenceToWhatIsReplicatedLaterIsSentThen(t *testing.T) {
	g := newAwaitGame(t)
	to := g.stranger()
	g.holder(to)
	g.send()
	assert.Equal(t, ecs.Entity{}, g.shown(0), "no entity until then")
	assert.Equal(t, 1, g.waiting())
	for range 3 {
		g.send()
	}
	g.world.Add(to, g.marker)
	g.send()
	assert.Equal(t, g.copies[0].applier.Replicas.entities[1].entity, g.shown(0))
	assert.Zero(t, g.waiting())
	g.requireSame()
}

// A reference stops waiting when either entity despawns or its component is removed.
func TestAnAwaitedReferenceIsForgotten(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(g *awaitGame, holder, to ecs.Entity)
		left int
	}{
		"when it is overwritten":       {func(g *awaitGame, holder, _ ecs.Entity) { g.of(holder, ecs.Entity{}) }, 0},
		"for another":                  {func(g *awaitGame, holder, _ ecs.Entity) { g.of(holder, g.stranger()) }, 1},
		"with its component":           {func(g *awaitGame, holder, _ ecs.Entity) { g.world.Remove(holder, g.name) }, 0},
		"with its holder":              {func(g *awaitGame, holder, _ ecs.Entity) { g.world.RemoveEntity(holder) }, 0},
		"when its holder is paused":    {func(g *awaitGame, holder, _ ecs.Entity) { g.world.Remove(holder, g.marker) }, 0},
		"with its target":              {func(g *awaitGame, _, to ecs.Entity) { g.world.RemoveEntity(to) }, 0},
		"not when its target changes":  {func(g *awaitGame, _, to ecs.Entity) { g.world.Remove(to, g.name) }, 1},
		"not by what else is written":  {func(g *awaitGame, holder, _ ecs.Entity) { (*copiedName)(g.world.Get(holder, g.name)).Text[0]++ }, 1},
		"when both are gone in a tick": {func(g *awaitGame, holder, to ecs.Entity) { g.world.RemoveEntity(to); g.world.RemoveEntity(holder) }, 0},
		"when its holder goes as it comes": {func(g *awaitGame, holder, to ecs.Entity) {
			g.world.Add(to, g.marker)
			g.world.RemoveEntity(holder)
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			g := newAwaitGame(t)
			to := g.stranger()
			holder := g.holder(to)
			g.send()
			require.Equal(t, 1, g.waiting())
			c.do(g, holder, to)
			g.send()
			assert.Equal(t, c.left, g.waiting())
			g.requireSame()
		})
	}
}

// A resumed entity is sent in full, and its references wait again.
func TestAPausedHolderWaitsAgain(t *testing.T) {
	g := newAwaitGame(t)
	to := g.stranger()
	holder := g.holder(to)
	g.send()
	g.world.Remove(holder, g.marker)
	g.send()
	g.world.Add(holder, g.marker)
	g.send()
	assert.Equal(t, 1, g.waiting())
	g.world.Add(to, g.marker)
	g.send()
	assert.Equal(t, g.copies[0].applier.Replicas.entities[1].entity, g.shown(0))
}

// The number of waiting references is limited, and those beyond it are counted.
func TestPendingReferencesAreBounded(t *testing.T) {
	g := newAwaitGame(t)
	const more = 50
	var targets []ecs.Entity
	for range source.MaxPendingRefs + more {
		targets = append(targets, g.stranger())
		g.holder(targets[len(targets)-1])
	}
	g.send()
	n, dropped := g.collector.PendingReferences()
	assert.Equal(t, source.MaxPendingRefs, n)
	assert.Equal(t, uint64(more), dropped)
	for _, to := range targets {
		g.world.RemoveEntity(to)
	}
	for range source.MaxPendingRefs / source.SweptPerTick {
		g.send()
	}
	assert.Zero(t, g.waiting(), "the dead are forgotten, some in each tick")
}

func TestAwaitingAllocatesNothing(t *testing.T) {
	g := newAwaitGame(t)
	strangers := [2]ecs.Entity{g.stranger(), g.stranger()}
	holder := g.holder(strangers[0])
	g.send()
	var frame []byte
	round := 0
	tick := func() {
		round++
		g.of(holder, strangers[round%2])
		g.tick++
		if err := g.collector.Observe(g.tick); err != nil {
			t.Fatal(err)
		}
		frame = g.peer.AppendUpdates(frame[:0], 100, g.packet)
		g.peer.HandleAcked(g.packet)
		g.packet++
	}
	for range 300 {
		tick()
	}
	assert.Zero(t, alloctest.Count(300, tick))
	assert.NotEmpty(t, frame)
	assert.Equal(t, 1, g.waiting())
}

// A value that is overwritten while no peer is connected stops waiting.
func TestWhatIsOverwrittenUnsentIsForgotten(t *testing.T) {
	g := newAwaitGame(t)
	holder := g.holder(g.stranger())
	g.send()
	g.peer.Close()
	g.of(holder, g.stranger())
	require.NoError(t, g.collector.Observe(g.tick+1))
	assert.Zero(t, g.waiting())
}
