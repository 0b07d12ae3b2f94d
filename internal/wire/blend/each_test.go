package blend_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/internal/wire/blend"
	"github.com/entangle-ecs/entangle/protocol"
)

// Each blends each pair of values as Blend does at its share. A share of 0 or 1 gives the bytes of
// an end.
func TestEachBlendsEveryPairByItsShare(t *testing.T) {
	each[moving](t, protocol.Linear[moving])
	each[float32](t, protocol.Linear[float32])
	each[[2]float64](t, protocol.Linear[[2]float64])
	each[[3]float32](t, protocol.Linear[[3]float32])
	each[[11]float32](t, protocol.Linear[[11]float32])
	each[struct {
		Q [2]wxyz `net:"quat"`
	}](t, protocol.Linear[struct {
		Q [2]wxyz `net:"quat"`
	}])
	each[struct {
		Turns [3]float32 `net:"angle"`
	}](t, protocol.Linear[struct {
		Turns [3]float32 `net:"angle"`
	}])
	each(t, func(a, b plain, t float64) plain {
		if !(t > 0 && t < 1) {
			panic("a function of the game is not called for an end")
		}
		return plain{A: a.A + uint8(t*float64(b.A-a.A)), B: 7}
	})
}

func each[T any](t *testing.T, f protocol.Lerp[T]) {
	by, err := blend.NewFuncs(f)
	require.NoError(t, err)
	t.Run(reflect.TypeFor[T]().String(), rapid.MakeCheck(func(t *rapid.T) {
		var plane [6]T
		for i := range plane {
			fill(t, reflect.ValueOf(&plane[i]).Elem())
		}
		index := rapid.Uint32Range(0, uint32(len(plane)-1))
		share := rapid.OneOf(rapid.Float32Range(0, 1), rapid.SampledFrom([]float32{0, 1, -1, float32(math.NaN())}))
		n := rapid.IntRange(0, 5).Draw(t, "pairs")
		from, to := rapid.SliceOfN(index, n, n).Draw(t, "from"), rapid.SliceOfN(index, n, n).Draw(t, "to")
		shares := rapid.SliceOfN(share, n, n).Draw(t, "share")
		got, want := make([]T, n), make([]T, n)
		by.Each(memoryOf(got), memoryOf(plane[:]), from, to, shares)
		for i := range want {
			switch a, b := &plane[from[i]], &plane[to[i]]; {
			case !(shares[i] > 0):
				want[i] = *a
			case shares[i] == 1:
				want[i] = *b
			default:
				by.Blend(bytesOf(&want[i]), bytesOf(a), bytesOf(b), float64(shares[i]))
			}
		}
		require.Equal(t, memoryOf(want), memoryOf(got))
	}))
	plane, got := make([]T, 4), make([]T, 2)
	from, to, share := []uint32{0, 1}, []uint32{2, 3}, []float32{0.25, 0.75}
	assert.Zero(t, alloctest.Count(100, func() { by.Each(memoryOf(got), memoryOf(plane), from, to, share) }))
}

// At a share above 1, Linear continues in the same direction, and a function of the game gets the
// share as it is.
func TestEachContinuesBeyondTheSecond(t *testing.T) {
	by, err := blend.NewFuncs(protocol.Linear[moving])
	require.NoError(t, err)
	turned := func(degrees float64) wxyz {
		s, c := math.Sincos(degrees * math.Pi / 360)
		return wxyz{W: float32(c), Z: float32(s)}
	}
	plane := []moving{
		{Pos: [2]float32{0, 10}, Health: 1, Yaw: 3, Rot: turned(0)},
		{Pos: [2]float32{4, 20}, Health: 3, Yaw: -3, Alive: true, Rot: turned(40)},
	}
	var got moving
	by.Each(bytesOf(&got), memoryOf(plane), []uint32{0}, []uint32{1}, []float32{1.5})
	assert.Equal(t, [2]float32{6, 25}, got.Pos)
	assert.InDelta(t, 3+1.5*(2*math.Pi-6), got.Yaw, 1e-9)
	assert.InDelta(t, turned(60).W, got.Rot.W, 1e-6)
	assert.InDelta(t, turned(60).Z, got.Rot.Z, 1e-6)
	assert.Equal(t, int32(3), got.Health, "other data is that of the second")
	assert.True(t, got.Alive)

	var share float64
	mine, err := blend.NewFuncs(func(a, _ plain, t float64) plain { share = t; return a })
	require.NoError(t, err)
	mine.Each(memoryOf(make([]plain, 1)), memoryOf(make([]plain, 2)), []uint32{0}, []uint32{1}, []float32{1.5})
	assert.InDelta(t, 1.5, share, 0)
}

func TestEachChecksItsArguments(t *testing.T) {
	linear, err := blend.NewFuncs(protocol.Linear[moving])
	require.NoError(t, err)
	mine, err := blend.NewFuncs(func(a, _ moving, _ float64) moving { return a })
	require.NoError(t, err)
	plane, into, one := make([]moving, 4), make([]moving, 1), []uint32{1}
	for name, by := range map[string]blend.Funcs{"Linear": linear, "a function of the game": mine} {
		for _, share := range []float32{0, 0.5, 1, 2} {
			at := []float32{share}
			assert.Panics(t, func() { by.Each(memoryOf(into), memoryOf(plane), []uint32{4}, one, at) }, name)
			assert.Panics(t, func() { by.Each(memoryOf(into), memoryOf(plane), one, []uint32{4}, at) }, name)
			assert.Panics(t, func() { by.Each(memoryOf(into), memoryOf(plane), one, []uint32{1, 1}, at) }, name)
			assert.Panics(t, func() { by.Each(memoryOf(plane), memoryOf(plane), one, one, at) }, name)
			assert.NotPanics(t, func() { by.Each(memoryOf(into), memoryOf(plane), one, one, at) }, name)
		}
	}
}
