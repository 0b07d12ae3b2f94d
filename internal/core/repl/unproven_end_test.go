package repl_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/set"
)

// A message with the end of an entity may be acknowledged while the client still holds it back for another group. The
// server can't know how long, so a view after the end does not show the entity.
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
