package channel

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// With the first message of a size, a peer gets buffers of that size for as many messages as are
// usually in flight. It gets no buffers of other sizes.
func TestTheFirstBuffersOfASizeAreMadeAtOnce(t *testing.T) {
	for i, size := range classes {
		var p pool
		body := make([]byte, size)
		lent := [][]byte{p.copyOf(body)}
		made := testing.AllocsPerRun(usualBuffers-2, func() { _ = p.copyOf(body) }) // AllocsPerRun runs it once more before
		if size < FragmentSize {
			assert.Zero(t, made, size)
			assert.Empty(t, p.rest[i])
		} else {
			assert.EqualValues(t, 1, made, "large ones are made one by one")
		}
		lent = append(lent, p.copyOf(body))
		for _, buf := range lent {
			assert.Equal(t, size, cap(buf))
			p.giveBack(buf)
		}
		assert.Len(t, p.free[i], len(lent))
	}
}
