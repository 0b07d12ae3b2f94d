package flight

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// An action is pending until its message is delivered. An action with needs is pending until every message of its
// tick and of earlier ticks is delivered.
func TestAnActionIsInFlightUntilNothingHoldsItUp(t *testing.T) {
	var a Messages
	done := 0
	send := func(number uint16, tick entangle.Tick, group repl.Handle, waits bool) {
		a.Written = []Action{{Group: group, Count: 1, InUnit: waits}}
		a.Add(number, tick, 0, 0)
	}
	deliver := func(number uint16) {
		a.HandleDelivered(number, func(Action, entangle.Tick) { done++ }, func(Action, entangle.Tick) {})
	}
	send(1, 10, 1, false)
	send(2, 20, 2, true)
	send(3, 20, 3, false)
	deliver(1)
	assert.Equal(t, 1, done)
	deliver(2)
	assert.Equal(t, 1, done, "one of the same tick is in flight")
	assert.False(t, a.Empty())
	deliver(3)
	assert.Equal(t, 3, done)
	assert.True(t, a.Empty())

	send(4, 30, 1, false)
	send(5, 31, 2, false)
	send(6, 32, 3, true)
	deliver(6)
	deliver(4)
	assert.Equal(t, 4, done, "one of an earlier tick is in flight")
	deliver(5)
	assert.Equal(t, 6, done)
}

// A short message is repeated 1, 3 and 7 ticks after it was sent, a long one is not.
func TestAShortMessageIsRepeated(t *testing.T) {
	var a Messages
	send := func(number uint16, bytes int) {
		a.Written = []Action{{Group: 1, Count: 1}}
		a.Add(number, 100, 0, bytes)
	}
	send(2, maxRepeated+1)
	send(3, maxRepeated)
	var at []entangle.Tick
	for tick := entangle.Tick(100); tick < 200; tick++ {
		for number, ok := a.PollRepeat(tick); ok; number, ok = a.PollRepeat(tick) {
			assert.Equal(t, uint16(3), number)
			at = append(at, tick)
		}
	}
	assert.Equal(t, []entangle.Tick{101, 103, 107}, at)
}

// The oldest message in flight says from which tick on something may be lacking, and how much ended since.
func TestTheOldestMessageInFlightCounts(t *testing.T) {
	var a Messages
	assert.True(t, a.OldestTick(50) == 50 && a.EndedSinceOldest(9) == 0)
	for number, tick := range []entangle.Tick{10, 20} {
		a.Written = []Action{{Group: 1, Count: 1}}
		a.Add(uint16(number), tick, uint64(tick/5), 0)
	}
	assert.True(t, a.OldestTick(50) == 10 && a.EndedSinceOldest(9) == 7)
	a.HandleDelivered(0, func(Action, entangle.Tick) {}, func(Action, entangle.Tick) {})
	assert.True(t, a.OldestTick(50) == 20 && a.EndedSinceOldest(9) == 5)
}

// BenchmarkDeliveredBehindAHeldMessage is the delivery of a message while an older one is not acknowledged, behind
// which thousands of actions with needs wait: as many as a peer may hold up.
func BenchmarkDeliveredBehindAHeldMessage(b *testing.B) {
	var a Messages
	send := func(number uint16, tick entangle.Tick) {
		a.Written = []Action{{Group: 1, Count: 1, InUnit: true}}
		a.Add(number, tick, 0, 0)
	}
	send(0, 1)
	for n := range uint16(1 << 14) {
		send(1+n, 2)
		a.HandleDelivered(1+n, func(Action, entangle.Tick) {}, func(Action, entangle.Tick) {})
	}
	for b.Loop() {
		send(1, 3)
		a.HandleDelivered(1, func(Action, entangle.Tick) {}, func(Action, entangle.Tick) {})
		a.waiting = a.waiting[:1<<14]
	}
}
