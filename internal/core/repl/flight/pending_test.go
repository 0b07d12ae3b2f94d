package flight

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle"
)

// The newest action of a group that a peer has applied for certain is the one before the oldest pending action, whether
// that was sent alone or with those of other groups, is in flight, or waits at the peer.
func TestTheOldestPendingActionDecides(t *testing.T) {
	var a Messages
	none := func(Action, entangle.Tick) {}
	send := func(number uint16, tick entangle.Tick, actions ...Action) {
		a.Written = append(a.Written[:0], actions...)
		a.Add(number, tick, 0, 0)
	}
	applied := func(want, now entangle.Tick) {
		t.Helper()
		assert.Equal(t, want, a.AppliedUpTo(7, now))
	}
	send(1, 10, Action{Group: 5, Count: 4, After: 2}, Action{Group: 20, Count: longRun + 1, After: 4}) // groups 5 to 8, and from 20 on
	applied(2, 10)
	assert.EqualValues(t, 4, a.AppliedUpTo(20+longRun, 10))
	send(2, 11, Action{Group: 7, Count: 1, After: 10, InUnit: true})
	applied(2, 11)
	send(3, 11, Action{Group: 7, Count: 1, After: 11}, Action{Group: 9, Count: 1, After: 8})
	assert.EqualValues(t, 8, a.AppliedUpTo(9, 11), "the list is made already")
	a.HandleDelivered(2, none, none)
	a.HandleDelivered(1, none, none)
	applied(10, 12) // the second message may wait at the peer for one of its tick
	a.Written = append(a.Written[:0], Action{Group: 7, Count: 1, After: 3})
	applied(3, 12)
}
