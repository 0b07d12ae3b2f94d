package peer

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The packets of a frame become fewer while many are lost, down to a floor that a header can
// acknowledge, and then more again. A line that loses many of a few packets is not affected.
//
// Proves: R44
func TestAFrameHasFewerPacketsWhileManyAreLost(t *testing.T) {
	var use frameUse
	next := func(sent int, loss float64) int {
		use.packets = sent
		use = frameUse{limit: use.nextLimit(loss)}
		return use.limit
	}
	assert.Equal(t, maxPackets, next(90, 0))
	assert.Equal(t, 79, next(90, 0.31), "an eighth fewer than were sent")
	for range 40 {
		next(use.limit, 1)
	}
	assert.Equal(t, leastPackets, use.limit)
	assert.Equal(t, leastPackets+1, next(leastPackets, 1), "few packets are not to blame")
	for range 2 * maxPackets {
		next(use.limit, 0.3)
	}
	assert.Equal(t, maxPackets, use.limit)
	assert.Equal(t, maxPackets, next(leastPackets, 1))
}
