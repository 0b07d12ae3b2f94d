package wire

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Every value of every lattice that registration accepts decodes to a float that
// encodes to the same index, in both sizes of float.
//
// Proves: G3
func TestEveryLatticeIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Float64Range(-1e7, 1e7).Draw(t, "low")
		if rapid.Bool().Draw(t, "whole") {
			low = math.Round(low)
		}
		span := math.Exp(rapid.Float64Range(-5, 17).Draw(t, "log span"))
		step := span / math.Exp(rapid.Float64Range(0, 29).Draw(t, "log steps"))
		size := rapid.SampledFrom([]uint8{4, 8}).Draw(t, "size")
		l, err := newLattice(low, low+span, step, size)
		if err != nil {
			return
		}
		require.LessOrEqual(t, l.step, step*(1+1e-8))
		back := func(index uint64) (float64, uint64) {
			v := l.valueAt(index)
			if size == 4 {
				v = float64(float32(v))
			}
			var clamped int
			i := l.index(v, &clamped)
			require.Zero(t, clamped)
			return v, i
		}
		for _, index := range []uint64{0, l.last, l.last / 2, rapid.Uint64Range(0, l.last).Draw(t, "index")} {
			_, again := back(index)
			require.Equal(t, index, again)
		}
		first, _ := back(0)
		last, _ := back(l.last)
		require.InDelta(t, low, first, l.step/2)
		require.InDelta(t, low+span, last, l.step/2)
		require.Less(t, l.last, uint64(1)<<l.width())
	})
}

// Rounding by the magic number gives the same index as the plain formula.
func TestIndexEqualsItsPlainTwin(t *testing.T) {
	l, err := newLattice(-512, 512, 0.01, 4)
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.OneOf(rapid.Float64Range(-513, 513), rapid.Float64(), rapid.Just(math.NaN())).Draw(t, "v")
		var clamped int
		got := l.index(v, &clamped)
		k := math.RoundToEven(v*100) + 51200
		want, out := uint64(51200), 1
		switch {
		case k >= 0 && k <= 102400:
			want, out = uint64(k), 0
		case k < 0:
			want = 0
		case k > 102400:
			want = 102400
		}
		require.Equal(t, want, got)
		require.Equal(t, out, clamped)
	})
}

func TestEveryAngleIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.SampledFrom([]uint8{4, 8}).Draw(t, "size")
		count := math.Floor(math.Exp(rapid.Float64Range(0.7, 30).Draw(t, "log count")))
		c, err := newCircle(count, size)
		if err != nil {
			return
		}
		for _, index := range []uint64{0, c.count - 1, c.count / 2, rapid.Uint64Range(0, c.count-1).Draw(t, "index")} {
			v := c.valueAt(index)
			if size == 4 {
				v = float64(float32(v))
			}
			var clamped int
			require.Equal(t, index, c.index(v, &clamped))
			require.Equal(t, index, c.index(v+2*math.Pi, &clamped), "a turn more is the same angle")
			require.Zero(t, clamped)
		}
		require.LessOrEqual(t, c.count-1, uint64(1)<<c.width()-1)
	})
}

// Every code that the decoder accepts decodes to a unit quaternion that encodes to the same code,
// for all widths and both sizes of float.
//
// Proves: G9
func TestEveryAcceptedRotationIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, err := newSmallestThree(rapid.IntRange(minQuatBits, maxQuatBits).Draw(t, "bits"), 3)
		require.NoError(t, err)
		near := rapid.Int64Range(0, 3).Draw(t, "near")
		part := rapid.Custom(func(t *rapid.T) int64 {
			edge := int64(float64(s.m)*math.Sqrt(0.5)) + near // for this value components are nearly equal
			return rapid.OneOf(rapid.Int64Range(-s.m, s.m+1), rapid.Int64Range(max(-s.m, -edge-2), min(s.m, edge+2)),
				rapid.SampledFrom([]int64{0, s.m, -s.m, min(edge, s.m), -min(edge, s.m)})).Draw(t, "k")
		})
		code := s.pack(rapid.Uint64Range(0, 3).Draw(t, "largest"), part.Draw(t, "a"), part.Draw(t, "b"), part.Draw(t, "c"))
		var q [4]float64
		if !setQuat(&s, &q, code) {
			return
		}
		narrow := [4]float32{float32(q[0]), float32(q[1]), float32(q[2]), float32(q[3])}
		var clamped int
		require.InDelta(t, 1, q[0]*q[0]+q[1]*q[1]+q[2]*q[2]+q[3]*q[3], 1e-12)
		require.Equal(t, code, quatCode(&s, &q, &clamped))
		require.Equal(t, code, quatCode(&s, &narrow, &clamped))
		require.Zero(t, clamped)
	})
}

// The decoder accepts every code that the encoder writes, whatever the quaternion is.
func TestEveryRotationEncodesToAnAcceptedCode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, err := newSmallestThree(rapid.IntRange(minQuatBits, maxQuatBits).Draw(t, "bits"), 0)
		require.NoError(t, err)
		f := rapid.OneOf(rapid.Float64Range(-1, 1), rapid.Float64(), rapid.SampledFrom([]float64{0, 0.5, -0.5, math.Sqrt2 / 2, 1, -1, math.NaN()}))
		q := [4]float64{f.Draw(t, "x"), f.Draw(t, "y"), f.Draw(t, "z"), f.Draw(t, "w")}
		var clamped int
		code := quatCode(&s, &q, &clamped)
		require.True(t, setQuat(&s, &q, code))
		require.Equal(t, code, quatCode(&s, &q, &clamped))
	})
}
