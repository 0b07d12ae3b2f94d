package sender

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// An action is in flight until its message is delivered. After that it may wait at the peer, if it
// needs other groups, until no message of its tick or an earlier one is in flight.
func TestAnActionIsInFlightUntilNothingHoldsItUp(t *testing.T) {
	var a actionLog
	done := 0
	send := func(name uint16, tick entangle.Tick, group repl.Handle, waits bool) {
		a.beginMessage(tick, 0)
		a.addRecord(sentAction{group: group, groups: 1, waits: waits, after: tick - 1})
		a.last().name = name
	}
	settle := func(name uint16) { a.settle(name, func(sentAction) { done++ }) }
	send(1, 10, 1, false)
	send(2, 20, 2, true)
	send(3, 20, 3, false)
	assert.True(t, a.carries(1, 10) && a.carries(2, 20) && a.carries(3, 20))
	assert.False(t, a.carries(1, 9) || a.carries(4, 10))
	settle(1)
	assert.False(t, a.carries(1, 10))
	settle(2)
	assert.True(t, a.carries(2, 20), "one of the same tick is in flight")
	assert.Equal(t, 1, done)
	settle(3)
	assert.False(t, a.carries(2, 20) || a.carries(3, 20))
	assert.Equal(t, 3, done)
	assert.True(t, a.empty())
}
