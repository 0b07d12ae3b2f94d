package endpoint

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWorkersAreChosenByTheWork(t *testing.T) {
	var a assembly
	a.start(4, true)
	for bytes, worth := range map[int]int{0: 0, workerBytes - 1: 0, 2*workerBytes - 1: 1, 2 * workerBytes: 2, 3 * workerBytes: 3, 100 * workerBytes: 4} {
		a.written[0], a.written[3] = bytes/3, bytes-bytes/3
		assert.Equal(t, worth, a.worth(a.bytes()), "%d bytes", bytes)
		assert.Zero(t, a.bytes(), "each frame counts for one")
	}
	a.start(4, false)
	assert.Equal(t, 4, a.worth(a.bytes()), "a number that is set")
}
