package channel

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Each frame costs work. A fragment costs more, and so does a message that waits for an earlier
// one, even if it was received before, because the receiver has to search for it.
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
	assert.EqualValues(t, 3+keepWork, m.Work())
	received(m)
	handle(t, m, epoch, fragment(0, 2, 0, 2*FragmentSize))
	assert.EqualValues(t, 4+2*keepWork, m.Work())

	m = newMux(t, Config{Mode: OrderedReliable})
	whole.message = 1
	handle(t, m, epoch, whole)
	assert.EqualValues(t, 1+keepWork, m.Work())
	handle(t, m, epoch, whole)
	assert.EqualValues(t, 2+2*keepWork, m.Work())
	whole.message = 0
	handle(t, m, epoch, whole)
	assert.EqualValues(t, 3+2*keepWork, m.Work(), "in its turn")
}
