package peer_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/set"
)

// Many moves wait for one that was lost, and then nothing changes any more. All of them are applied when it has arrived.
//
// Proves: R41
func TestManyMovesThatWaitedAreAppliedInAQuietWorld(t *testing.T) {
	const movers = 1000
	p := newPair(t, 1, 1)
	move := func(place func(s repl.Slot) group.Place) {
		p.tickWith(func() {
			for s := range repl.Slot(movers) {
				p.world.Move(s, place(s))
			}
		})
	}
	p.tickWith(func() {
		for s := range repl.Slot(movers) {
			p.world.SpawnAt(s, set.MaskOf(0), group.Place{Name: 1})
		}
	})
	p.run(60)
	require.Len(t, p.shown.values, movers)
	lost := withholds()
	p.drops = func(from *peer.Peer, b []byte) bool { return from == p.server && lost(from, b) }
	move(func(repl.Slot) group.Place { return group.Place{} })
	for i := range uint32(3) {
		move(func(s repl.Slot) group.Place { return group.Place{Name: 2 + i*movers + uint32(s)} })
	}
	p.tickWith(func() {
		for s := range repl.Slot(movers) {
			p.world.Despawn(s)
		}
	})
	p.run(30)
	p.drops = nil
	p.run(300)
	require.True(t, p.server.Replication().Idle())
	assert.Zero(t, len(p.shown.values), "entities at the client")
}
