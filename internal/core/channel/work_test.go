package channel

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Each frame is work, a fragment is more, and so is one that has come before: the receiver
// looks for it all the same.
//
// Proves: Z21
func TestFramesAndFragmentsAreWork(t *testing.T) {
	m := newMux(t, Config{Mode: SequencedUnreliable})
	whole := frame{hasID: true, body: []byte("whole")}
	handle(t, m, epoch, whole)
	assert.EqualValues(t, 1, m.Work())
	received(m)
	whole.message = 1
	handle(t, m, epoch, fragment(0, 2, 0, 2*FragmentSize), whole)
	assert.EqualValues(t, 3+fragmentWork, m.Work())
	received(m)
	handle(t, m, epoch, fragment(0, 2, 0, 2*FragmentSize))
	assert.EqualValues(t, 4+2*fragmentWork, m.Work())
}
