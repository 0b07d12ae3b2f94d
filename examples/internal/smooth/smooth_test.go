package smooth_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle/examples/internal/smooth"
)

func TestWhatCountsAsAJump(t *testing.T) {
	var c smooth.Counts
	for _, moved := range []float64{1, 0.5, 1.9, 0.1, 0, -0.1, 2.1, -1} {
		c.Add(moved, 1)
	}
	assert.Equal(t, smooth.Counts{Frames: 8, Stood: 3, Jumped: 2}, c)
	assert.Equal(t, "37.5 % still, 25.0 % jump", c.String())
	assert.Equal(t, "0.0 % still, 0.0 % jump", smooth.Counts{}.String())
}
