package peer_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
)

// Messages of every mode and size, and a world that spawns, changes and despawns, share packets.
// Many packets are full, and none has a byte more than its budget.
//
// Proves: P10
func TestNoPayloadExceedsItsBudget(t *testing.T) {
	for _, loss := range []float64{0, 0.2} {
		p := newPair(t, 1, 1)
		p.run(10)
		require.True(t, p.server.Open())
		p.loss = loss
		full, payloads := 0, 0
		p.drops = func(_ *peer.Peer, b []byte) bool {
			require.LessOrEqual(t, len(b), entangle.MaxPayload)
			if payloads++; len(b) >= entangle.MaxPayload-2 { // Finish removes two bytes of the last frame
				full++
			}
			return false
		}
		p.tickWith(func() { p.populate(0, 300, group.Place{}) })
		messages := 0
		for came := repl.Slot(300); came < 600; came += 3 {
			for range 20 {
				mode := channel.ID(p.rng.IntN(5))
				require.NoError(t, p.server.Send(peer.FirstMessages+mode, make([]byte, p.rng.IntN(200)), 0, p.now))
				messages++
			}
			p.tickWith(func() {
				p.populate(came, came+3, group.Place{})
				for s := came - 300; s < came-297; s++ {
					delete(p.source.values, s)
					p.world.Despawn(s)
				}
			})
		}
		assert.Positive(t, full, "of %d payloads", payloads)
		assert.Less(t, payloads, messages, "small messages share packets")
	}
}
