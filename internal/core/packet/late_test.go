package packet

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// An id that arrives after a newer one which a header has acknowledged is in the next header: the peer knows the
// order of the two already.
//
// Proves: P2, L1
func TestALateIDIsAcknowledgedOnceTheNewerOneIs(t *testing.T) {
	w := window{ordered: true}
	w.recordID(1, 0)
	w.recordID(3, 0)
	w.acknowledge(1)
	w.recordID(2, 2)
	assert.EqualValues(t, 0b111, w.acknowledge(2), "2, 1, and 0, which was never sent")
}

// An id that a header left out, because it arrived after the newest, waits for the next header, which is due as
// for any other id: after the delay, and before the window has passed the id.
//
// Proves: P2, L1
func TestALateIDWaitsForTheNextHeader(t *testing.T) {
	w := window{ordered: true}
	w.recordID(10, 0)
	w.recordID(4, 0)
	assert.Zero(t, w.acknowledge(1)>>5&1)
	assert.True(t, w.due(25, 25))
	assert.False(t, w.full())
	w.recordID(4+AckEvery, 0)
	assert.True(t, w.full(), "counted from the id that waits, and not from the first that arrived")
}
