package delta

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// room returns the number of values for which a history has memory.
func (h *History) room() (values int) {
	for i := range h.rings {
		values += len(h.rings[i].since)
	}
	for _, spare := range h.spare {
		for i := range spare {
			values += len(spare[i].since)
		}
	}
	return values
}

// When an entity is despawned, other slots use the memory of its values. A history takes the memory
// that was needed at one time, not the sum of the peaks of all slots.
//
// Proves: R40
func TestRoomOfEndedEntitiesServesOthers(t *testing.T) {
	const slots, lives, busy = 200, 40, 10
	h, value, tick := NewHistory(4), make([]byte, 4), entangle.Tick(0)
	for life := range lives {
		for s := range repl.Slot(slots) {
			h.Restart(s, tick, value)
		}
		for range 2 * repl.HistoryTicks {
			tick++
			for i := range busy { // other slots in each round
				h.Set(repl.Slot((life*busy+i)%slots), tick, value)
			}
		}
	}
	assert.LessOrEqual(t, h.room(), slots*firstRing+busy*2*repl.HistoryTicks)
}
