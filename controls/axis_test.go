package controls_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/controls"
	"github.com/entangle-ecs/entangle/internal/wire"
)

func planOf[T any](t *testing.T) *wire.Plan {
	plan, err := wire.ComponentPlan[T]()
	require.NoError(t, err)
	return plan
}

func memory[T any](v *T) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v)) }

func TestControlsTakeFewBits(t *testing.T) {
	assert.Equal(t, 3, planOf[controls.Button](t).MaxBits())
	assert.Equal(t, 8, planOf[controls.Axis](t).MaxBits())
	assert.Equal(t, 16, planOf[controls.Axis2](t).MaxBits())
}

// The values that a latch returns arrive on the other side exactly, bit by bit.
func TestLatchValuesArriveExactly(t *testing.T) {
	plan, rng := planOf[controls.Axis2](t), rand.New(rand.NewPCG(1, 2))
	seen := map[float32]bool{}
	for i := range 20000 {
		x := float32(rng.Float64()*2.2 - 1.1)
		if i <= 2000 {
			x = float32(i-1000) / 1000
		}
		a := controls.Axis2Of(x, -x)
		rounded := a
		require.Zero(t, plan.Round(memory(&rounded)), "nothing is out of its range")
		require.Equal(t, math.Float32bits(rounded.X), math.Float32bits(a.X), "%v", x)
		require.Equal(t, math.Float32bits(rounded.Y), math.Float32bits(a.Y), "%v", x)
		require.InDelta(t, max(-1, min(1, x)), a.X, 0.0050001)
		seen[a.X] = true
	}
	assert.Len(t, seen, 201)
	assert.True(t, seen[0] && seen[1] && seen[-1])
}

func TestAxesHoldTheNearestValue(t *testing.T) {
	for in, want := range map[float32]float32{
		0: 0, 1: 1, -1: -1, 5: 1, -5: -1, 0.5: 0.5, 0.123: 0.12, float32(math.Inf(1)): 1, float32(math.Inf(-1)): -1, -1e-30: 0,
	} {
		assert.Equal(t, controls.Axis{Value: want}, controls.AxisOf(in), "%v", in)
	}
	assert.Zero(t, controls.AxisOf(float32(math.NaN())))
	assert.Zero(t, math.Float32bits(controls.AxisOf(float32(math.Copysign(0, -1))).Value), "there is one zero")
}

func TestADirectionIsLimitedToALengthOfOne(t *testing.T) {
	diagonal := controls.Axis2{X: 1, Y: -1}.Limited()
	assert.Equal(t, controls.Axis2{X: math.Sqrt2 / 2, Y: -math.Sqrt2 / 2}, diagonal)
	for x := float32(-1); x <= 1; x += 0.125 {
		for y := float32(-1); y <= 1; y += 0.125 {
			a := controls.Axis2Of(x, y)
			got := a.Limited()
			length := math.Hypot(float64(got.X), float64(got.Y))
			require.LessOrEqual(t, length, 1+1e-6)
			if math.Hypot(float64(a.X), float64(a.Y)) <= 1 {
				require.Equal(t, a, got)
			} else {
				require.InDelta(t, 1, length, 1e-6)
				require.InDelta(t, math.Atan2(float64(a.Y), float64(a.X)), math.Atan2(float64(got.Y), float64(got.X)), 1e-6)
			}
		}
	}
}

// A missing input repeats held buttons, and presses nothing.
func TestPressesAreEventsOfAnInput(t *testing.T) {
	type walker struct {
		Jump, Fire controls.Button
		Move       controls.Axis2
	}
	plan := planOf[walker](t)
	w := walker{Jump: again, Fire: tap, Move: controls.Axis2{X: 1}}
	plan.ClearEvents(memory(&w))
	assert.Equal(t, walker{Jump: held, Move: controls.Axis2{X: 1}}, w)
	before := walker{Jump: release, Fire: press}
	plan.MergeEvents(memory(&w), memory(&before))
	assert.Equal(t, walker{Jump: controls.Button{Down: true, Released: true}, Fire: controls.Button{Pressed: true}, Move: controls.Axis2{X: 1}}, w)
}
