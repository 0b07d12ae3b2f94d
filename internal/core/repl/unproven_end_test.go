package repl_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/set"
)

// The end of an entity whose message was acknowledged may still wait at the client for another group. As long as that is
// not known, no client can claim that the entity was on its screen after its end.
//
// Proves: L4
func TestAnEndThatMayWaitIsNotShownLonger(t *testing.T) {
	w, other := newWatcher(t), group.Place{Name: 7, Private: true}
	w.tick(func() {
		w.world.SpawnAt(0, set.MaskOf(0), den)
		w.world.SpawnAt(1, set.MaskOf(0), other)
		w.world.SpawnAt(2, set.MaskOf(0), other)
		require.True(t, w.peer.Show(0) && w.peer.Show(1))
	})
	w.run(20)
	w.tick(func() { w.world.SpawnAt(3, set.MaskOf(0), den) })
	require.Len(t, messages(w.peer, 900), 1) // it is lost
	ended := w.tick(func() {
		w.world.Despawn(2)
		w.world.Move(0, other) // it waits for its former group
	})
	require.Len(t, messages(w.peer, 901), 1)
	w.tick(func() {})
	w.tick(func() {})
	assert.Equal(t, []uint64{2}, w.departed(ended+1), "its end has not arrived")
	w.peer.HandleDelivered(901)
	assert.Empty(t, w.departed(ended+1))
	assert.Contains(t, w.departed(ended-1), uint64(2))
}
