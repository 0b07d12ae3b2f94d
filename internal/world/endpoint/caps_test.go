package endpoint

import (
	"testing"

	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/stretchr/testify/assert"
)

// Messages of other clients may wait for a client up to the bytes that the tighter of the two caps
// carries in half a second. The cap on all clients is divided by their largest possible number.
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
		{MostCap, MostCap, 1, peer.DefaultRelayLimit},
	} {
		assert.Equal(t, c.want, Caps{PerClient: c.perClient, All: c.all}.relayShare(c.clients), "%+v", c)
	}
}
