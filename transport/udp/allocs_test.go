//go:build !race

package udp_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The race detector makes sync.Pool drop values at random, also in package ipv4, so this
// holds only without it.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	run := frame(t, 20)
	run()
	assert.Zero(t, testing.AllocsPerRun(50, run), "both directions, with the goroutines that read")
}
