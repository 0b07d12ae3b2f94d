//go:build !race && !js && !wasip1

package websocket_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// This test runs only without the race detector, which makes sync.Pool drop values at random.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	run := frameOf(t, 20)
	for range 10 {
		run()
	}
	assert.Zero(t, testing.AllocsPerRun(50, run), "both directions, with the goroutines that read and write")
}
