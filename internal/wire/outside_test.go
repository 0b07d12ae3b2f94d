package wire_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/wire"
)

// Outside counts the numbers that encoding clamps.
func TestOutsideCountsWhatIsClamped(t *testing.T) {
	type axis struct {
		At float64 `net:"range=0..1,step=0.1"`
		N  int8    `net:"range=-1..1"`
	}
	type value struct {
		Free float32
		X, Y float32 `net:"range=-10..10,step=0.1"`
		Axes [2]axis
	}
	plan, err := wire.ComponentPlan[value]()
	require.NoError(t, err)
	assert.True(t, plan.Ranged())
	for want, v := range []value{
		{Free: 99, X: -10, Y: 10.04, Axes: [2]axis{{1, 1}, {0, -1}}},
		{X: 10.1},
		{X: float32(math.NaN()), Axes: [2]axis{{}, {N: 2}}},
		{Y: -11, Axes: [2]axis{{At: 1.2}, {At: -1}}},
	} {
		memory := memoryOf([]value{v})
		assert.Equal(t, want, plan.Outside(memory))
		assert.Equal(t, want, plan.Round(memory))
	}
	free, err := wire.ComponentPlan[struct{ X float32 }]()
	require.NoError(t, err)
	assert.False(t, free.Ranged())
}
