package sink

import (
	"testing"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An applier counts replicas and orphaned entities. A despawn by the server, the game's removal of
// an orphaned entity, and the end of the connection free space.
//
// Proves: Z7, Z17
func TestACopyIsFullOfWhoLives(t *testing.T) {
	h := newHand(t)
	h.applier.Limit(3)
	for g := repl.Handle(1); g <= 3; g++ {
		assert.False(t, h.applier.AtLimit())
		h.come(g)
	}
	assert.True(t, h.applier.AtLimit())
	e := h.entity(1)
	h.record(func() { h.release(1) })
	assert.True(t, h.applier.AtLimit(), "it stays in the world")
	h.world.RemoveEntity(e)
	assert.False(t, h.applier.AtLimit())
	h.come(4)
	assert.True(t, h.applier.AtLimit())
	h.world.RemoveEntity(h.entity(2))
	assert.True(t, h.applier.AtLimit(), "to the server it is there")
	h.record(func() { h.despawn(2) })
	assert.False(t, h.applier.AtLimit())
	h.come(5)
	h.applier.Clear()
	assert.False(t, h.applier.AtLimit())
}

// Removed entities take no space, however many come and go.
func TestACopyThatLivesLongIsNotFull(t *testing.T) {
	h := newHand(t)
	h.applier.Limit(10)
	for g := repl.Handle(1); g < 4000; g++ {
		require.False(t, h.applier.AtLimit(), "entity %d", g)
		h.come(g)
		e := h.entity(g)
		if g%2 == 0 {
			h.record(func() { h.despawn(g) })
			continue
		}
		h.record(func() { h.release(g) })
		h.world.RemoveEntity(e)
	}
}

// An entity that was despawned while it was predicted is kept for a while, and counts until then.
//
// Proves: Z7, Z17
func TestACopyIsFullOfWhomThePredictionKeeps(t *testing.T) {
	p := newPair(t)
	e := p.spawnAll()
	p.send()
	there := p.there(e)
	p.applier.Limit(1)
	require.True(t, p.applier.AtLimit())
	p.world.RemoveEntity(e)
	p.send()
	require.Zero(t, p.applier.Replicas.Len())
	assert.True(t, p.applier.AtLimit())
	p.applier.RemoveDespawned(there)
	assert.False(t, p.applier.AtLimit())
}

// The server's entities are accepted up to the limit.
//
// Proves: Z7
func TestNoMoreEntitiesThanACopyIsLimitedTo(t *testing.T) {
	p := newPair(t)
	p.applier.Limit(2)
	p.receiver = receiver.New(p.applier, len(p.infos))
	for range 3 {
		p.spawnAll()
	}
	require.NoError(t, p.collector.Observe(1))
	assert.ErrorIs(t, p.receiver.HandleActions(p.peer.AppendActions(nil, 10_000)), receiver.ErrCrowded)
	assert.Equal(t, 2, p.applier.Replicas.Len())
	assert.Equal(t, 2, p.far.Stats().Entities.Used)
}
