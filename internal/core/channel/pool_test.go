package channel

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// After the first message of a size a peer has the buffers for as many as are usually under
// way, of that size and no other.
func TestTheFirstBuffersOfASizeAreMadeAtOnce(t *testing.T) {
	for i, size := range classes {
		var p pool
		lent := make([][]byte, 0, usualBuffers)
		lend := func() {
			for range usualBuffers {
				lent = append(lent, p.copyOf(make([]byte, size)))
			}
			for _, buf := range lent {
				assert.Equal(t, size, cap(buf))
				p.put(buf)
			}
			lent = lent[:0]
		}
		p.put(p.copyOf(make([]byte, size)))
		if size < FragmentSize {
			assert.Len(t, p.free[i], usualBuffers)
		} else {
			assert.Len(t, p.free[i], 1, "large ones are made one by one")
		}
		lend()
		assert.Len(t, p.free[i], usualBuffers)
	}
}
