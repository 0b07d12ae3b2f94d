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
		a.Begin(tick, 0)
		a.Add(Action{Group: group, Groups: 1, HasNeeds: waits, After: tick - 1})
		a.Last().Number = number
	}
	deliver := func(number uint16) { a.HandleDelivered(number, func(Action) { done++ }) }
	send(1, 10, 1, false)
	send(2, 20, 2, true)
	send(3, 20, 3, false)
	assert.True(t, a.IsPending(1, 10) && a.IsPending(2, 20) && a.IsPending(3, 20))
	assert.False(t, a.IsPending(1, 9) || a.IsPending(4, 10))
	deliver(1)
	assert.False(t, a.IsPending(1, 10))
	deliver(2)
	assert.True(t, a.IsPending(2, 20), "one of the same tick is in flight")
	assert.Equal(t, 1, done)
	deliver(3)
	assert.False(t, a.IsPending(2, 20) || a.IsPending(3, 20))
	assert.Equal(t, 3, done)
	assert.True(t, a.Empty())
}

// A small message with an action of a predicted group is repeated 1, 3 and 7 ticks after it was sent.
func TestASmallMessageOfPredictedGroupsIsRepeated(t *testing.T) {
	var a Messages
	send := func(number uint16, predicted bool, bytes int) {
		a.Begin(100, 0)
		a.Add(Action{Group: 1, Groups: 1})
		a.Last().Number = number
		if predicted {
			a.MarkPredicted()
		}
		a.ScheduleRepeats(bytes, 100)
	}
	send(1, false, 10)
	send(2, true, maxRepeated+1)
	send(3, true, maxRepeated)
	var at []entangle.Tick
	for tick := entangle.Tick(100); tick < 200; tick++ {
		for number, ok := a.PollRepeat(tick); ok; number, ok = a.PollRepeat(tick) {
			assert.Equal(t, uint16(3), number)
			at = append(at, tick)
		}
	}
	assert.Equal(t, []entangle.Tick{101, 103, 107}, at)
}
