//go:build !race

package udp_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The race detector makes every sync.Pool forget at random, the one in package
// ipv4 too, so this holds without it only.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	run := frame(t, 20)
	run()
	assert.Zero(t, testing.AllocsPerRun(50, run), "both directions, with the goroutines that read")
}
