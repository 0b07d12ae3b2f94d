package systems

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A client may pass on one of the longest messages at once, and then as much as it
// has saved up for.
func TestRelaysAreSavedUpFor(t *testing.T) {
	a := newAllowance(0)
	assert.True(t, a.relay(64<<10))
	for a.relay(1000) {
	}
	assert.False(t, a.relay(1000))
	passed := 0
	for range 600 {
		a.renew()
		for a.relay(900) {
			passed++
		}
	}
	assert.InDelta(t, 600*relayRefill/(900+relayOverhead), passed, 5)
	for range 1000 {
		a.renew()
	}
	saved := 0
	for a.relay(0) {
		saved++
	}
	assert.Equal(t, relayBurst/relayOverhead, saved)
}

func TestAFrameHasRoomForSoManyMessagesAndRequests(t *testing.T) {
	a := newAllowance(2)
	for range 2 {
		for range maxMessages {
			require.NoError(t, a.message())
		}
		require.ErrorIs(t, a.message(), errFlood)
		for number := range 2 {
			for range maxCalls {
				require.NoError(t, a.request(number))
			}
			require.ErrorIs(t, a.request(number), errFlood)
		}
		a.renew()
	}
}
