package endpoint

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/budget"
)

// The number of kept quotas of disconnected clients is limited. Restored quotas make room for new
// ones; the others stay.
//
// Proves: Z21
func TestQuotasOfWhoHasLeftMakeRoomForOthers(t *testing.T) {
	const most = 4
	in, now := budget.NewIntake(1000), time.Unix(100, 0)
	in.Begin(now)
	left := quotas{}
	leave := func(id entangle.ClientID) {
		q := in.Admit()
		in.Spend(&q, math.MaxInt)
		left.keep(id, q, &in, most)
	}
	known := func(id entangle.ClientID) bool {
		q := left.take(id, &in)
		defer left.keep(id, q, &in, most)
		return in.Left(&q) < 0
	}
	for id := range entangle.ClientID(most + 1) {
		leave(id)
	}
	for id := range entangle.ClientID(most) {
		assert.True(t, known(id))
	}
	assert.False(t, known(most), "there is no room for it")
	assert.Len(t, left, most)

	now = now.Add(800 * time.Millisecond)
	in.Begin(now)
	left.take(0, &in)
	leave(10)
	now = now.Add(900 * time.Millisecond)
	in.Begin(now) // the first quotas are fully restored
	for id := range entangle.ClientID(3) {
		leave(20 + id)
	}
	for _, id := range []entangle.ClientID{20, 21, 22} {
		assert.True(t, known(id), "%d", id)
	}
	assert.Len(t, left, most)
	q := left.take(10, &in)
	assert.False(t, in.Restored(&q), "and this one has not")
}
