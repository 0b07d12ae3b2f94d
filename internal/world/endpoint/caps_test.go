package endpoint

import (
	"testing"

	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/stretchr/testify/assert"
)

// What others say may wait for a client up to what the tighter of the two caps carries in half a
// second, that of all being divided among as many as there can be.
//
// Proves: Z21
func TestWhatOthersSayWaitsForHalfASecondOfACap(t *testing.T) {
	for _, c := range []struct{ perClient, all, clients, want int }{
		{0, 0, 4, 0},
		{64_000, 0, 4, 32_000},
		{0, 64_000, 4, 8_000},
		{16_000, 400_000, 4, 8_000},
		{400_000, 64_000, 4, 8_000},
		{0, 64_000, 0, 32_000},
		{MostCap, MostCap, 1, peer.DefaultShare},
	} {
		assert.Equal(t, c.want, Caps{PerClient: c.perClient, All: c.all}.relayShare(c.clients), "%+v", c)
	}
}
