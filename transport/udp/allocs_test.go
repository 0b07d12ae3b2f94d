//go:build !race

package udp_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// This test runs only without the race detector, which makes sync.Pool drop values at random,
// also in package ipv4.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	run := frame(t, 20)
	run()
	assert.Zero(t, testing.AllocsPerRun(50, run), "both directions, with the goroutines that read")
}
