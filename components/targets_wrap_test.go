package components

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle"
)

// When the count of an index has wrapped around, its targets start again, and never reach the
// numbers of rooms.
func TestSetsThatWrapAroundAreNoRooms(t *testing.T) {
	var targets Targets
	for i := range MaxSets {
		targets.Only(entangle.ClientID(i + 1))
	}
	targets.sets[0].target = inRoom - reserved
	again := targets.Only(MaxSets + 1)
	_, room := again.Room()
	assert.False(t, room, "%v", again)
	assert.Equal(t, reserved, again)
	assert.True(t, targets.Contains(again, MaxSets+1))
}
