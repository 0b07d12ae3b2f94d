package oracle

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/world/endpoint"
)

// Values of a group with an interval are sent once per interval. They may be sent at once together
// with structure, after a delay by a cap or by throttling, or after a resend.
//
// Proves: R35
func TestWatchHoldsIntervals(t *testing.T) {
	h := newWatchFixture(t, 1)
	h.replicateOf(0).SendEvery = 4
	for tick := range entangle.Tick(80) {
		h.setEntity(0, 1, byte(tick))
		h.endTick(tick + 1)
	}
	tell := func(tick entangle.Tick, as endpoint.SentEntity) error {
		as.Client, as.Entity, as.Tick = watcher, h.entities[0], tick
		return h.checkInterval(&as)
	}
	update := endpoint.SentEntity{Update: true}
	assert.NoError(t, tell(20, update))
	assert.NoError(t, tell(22, endpoint.SentEntity{}), "that is structure")
	assert.NoError(t, tell(24, update))
	assert.ErrorContains(t, tell(27, update), "was as of 24: its group is sent every 4 ticks")
	assert.NoError(t, tell(28, endpoint.SentEntity{Update: true, Capped: true}))
	assert.NoError(t, tell(31, update))
	assert.NoError(t, tell(33, endpoint.SentEntity{Update: true, Resent: 1}))
	assert.NoError(t, tell(38, endpoint.SentEntity{Update: true, Resent: 1}), "that was sent again may be why")
	assert.NoError(t, tell(40, endpoint.SentEntity{Update: true, Resent: 1}), "likewise")
	assert.NoError(t, tell(50, endpoint.SentEntity{Update: true, Resent: 1}))
	assert.ErrorContains(t, tell(52, endpoint.SentEntity{Update: true, Resent: 1}), "was as of 50")
	throttled := endpoint.SentEntity{Update: true, Resent: 1, Throttled: 2}
	assert.NoError(t, tell(61, throttled), "the turn at 60 was left out")
	assert.NoError(t, tell(64, throttled))
	assert.NoError(t, tell(76, throttled))
	assert.ErrorContains(t, tell(79, throttled), "was as of 76")
}
