package repl_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/core/repl/group"
)

// If a peer requests a group, the group cannot stay there as it was last sent, because the peer may not have it in that
// state. Retaining it hides it, before and after the request. Entities that were despawned in the meantime are despawned
// on the peer, and a group that is shown again is complete.
//
// Proves: V4
func TestAGroupThatAPeerRequestedIsNotRetained(t *testing.T) {
	for name, before := range map[string]bool{"requested before": true, "requested after": false} {
		t.Run(name, func(t *testing.T) {
			n, e := retaining(t)
			h, _ := e.peer.Group(0)
			n.step(func() {
				if before {
					n.resync(e, h)
				}
				n.retain(e, 0)
				if !before {
					n.resync(e, h)
				}
			})
			require.EqualValues(t, 1, n.world.Stats().Resyncs)
			n.step(func() { n.despawn(1) })
			for range 8 {
				n.step(func() {})
			}
			assert.Empty(t, e.sink.byName())
			assert.True(t, e.peer.Idle() && !e.peer.Retains(0))
			n.step(func() { n.show(e, 0) })
			n.rest()
			n.requireEqual(e)
		})
	}
}

// An entity that is paused when a peer requests its group exists there as before, even if the peer
// never had it in that group, because it was sent to the peer.
//
// Proves: R39
func TestAPausedEntityIsSentWholeInAResync(t *testing.T) {
	n, e := retaining(t)
	n.step(func() { n.arrive(nil, 2, den) })
	n.step(func() { n.set(2, 1, 5) })
	is := n.model.entities[2]
	n.step(func() { n.model.paused[2], n.model.frozen[2] = true, is; n.world.Pause(2) })
	n.step(func() { n.set(2, 1, 6) })
	n.rest()
	for slot, at := range e.sink.entities {
		if at.name() == is.name() {
			at.values[1] = 99 // as if it had missed a value
			e.sink.entities[slot] = at
		}
	}
	h, _ := e.peer.Group(0)
	n.step(func() { n.resync(e, h) })
	n.rest()
	assert.Equal(t, is, e.sink.byName()[is.name()])
}

// Of two peers that request a group in one tick, only the one that was sent a paused member gets it again.
func TestAResyncAddsNoPausedEntity(t *testing.T) {
	n := newNetwork(t, 1, 3, 0)
	had, not := n.join(), n.join()
	n.step(func() { n.spawnAt(group.Place{Name: 1}) })
	next := func(change func(), to ...*end) {
		n.tick++
		tick(n.world, change)
		for _, e := range to {
			for _, deliver := range n.messagesTo(e) {
				deliver()
			}
		}
	}
	next(func() { n.spawnAt(group.Place{Name: 1}) }, had)
	next(func() { n.world.Pause(1) })
	had.peer.HandleResync(0)
	not.peer.HandleResync(0)
	next(func() {}, had, not)
	assert.Len(t, had.sink.entities, 2)
	assert.Len(t, not.sink.entities, 1)
}
