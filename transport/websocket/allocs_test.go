//go:build !race && !js && !wasip1

package websocket_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The race detector makes every sync.Pool forget at random, so this holds without it
// only.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	run := frameOf(t, 20)
	for range 10 {
		run()
	}
	assert.Zero(t, testing.AllocsPerRun(50, run), "both directions, with the goroutines that read and write")
}
