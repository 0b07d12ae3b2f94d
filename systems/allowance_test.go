package systems

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/core/channel"
)

// A client may pass on one of the longest messages at once, and then as much as it
// has saved up for.
func TestRelaysAreSavedUpFor(t *testing.T) {
	a := newAllowance(0)
	assert.True(t, a.relay(64<<10, 1))
	for a.relay(1000, 1) {
	}
	assert.False(t, a.relay(1000, 1))
	passed := 0
	for range 600 {
		a.renew()
		for a.relay(900, 1) {
			passed++
		}
	}
	assert.InDelta(t, 600*relayRefill/(900+relayOverhead), passed, 5)
	for range 1000 {
		a.renew()
	}
	saved := 0
	for a.relay(0, 1) {
		saved++
	}
	assert.Equal(t, relayBurst/relayOverhead, saved)
}

// A short message to many costs as much as as many to one, so the copies of a frame are
// bounded, however they are divided among messages.
//
// Proves: Z21
func TestRelaysAreChargedByTheirRecipients(t *testing.T) {
	const most = copiesBurst / relayOverhead
	for _, clients := range []int{10, 100, 1000} {
		a := newAllowance(0)
		copies := func() (n int) {
			for a.relay(0, clients) {
				n += clients
			}
			return n
		}
		assert.InDelta(t, most, copies(), float64(clients), "what was saved up")
		later := 0
		for range 600 {
			a.renew()
			later += copies()
		}
		assert.InDelta(t, 600*copiesRefill/relayOverhead, later, float64(2*clients), "no more than comes in")
	}
}

// One of the longest goes to any number of clients, and is made up for before the next.
func TestALongRelayToManyIsMadeUpFor(t *testing.T) {
	const clients = 200
	a := newAllowance(0)
	require.True(t, a.relay(channel.MaxMessage, clients))
	frames := 0
	for ; !a.relay(0, 1); frames++ {
		a.renew()
	}
	assert.InDelta(t, ((channel.MaxMessage+relayOverhead)*clients-copiesBurst)/copiesRefill, frames, 2)
}

// Some chat to 200 clients is never refused, nor what a stall of ten seconds held back.
func TestAChatToManyIsNeverRefused(t *testing.T) {
	a := newAllowance(0)
	for second := range 60 {
		for frame := range 60 {
			a.renew()
			if frame%12 == 0 {
				require.True(t, a.relay(100, 200))
			}
		}
		for n := range 20 * (second % 15 / 14) {
			require.True(t, a.relay(100, 200), n)
		}
	}
}

// What the allowance lets through is within the budget of work, at any tick rate, beside what
// a client sends of its own.
func TestRelaysThatAreAllowedAreWithinTheBudget(t *testing.T) {
	for _, rate := range []int{10, 20, 30, 60, 128, 240} {
		work := rate * copiesRefill / relayOverhead * copyWork
		assert.Less(t, work, Intake{}.WithDefaults(rate).Work*4/5, rate)
	}
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
