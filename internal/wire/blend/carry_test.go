package blend_test

import (
	"math"
	"reflect"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle/internal/wire/blend"
	"github.com/entangle-ecs/entangle/protocol"
)

func memoryOf[T any](v []T) []byte {
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*int(unsafe.Sizeof(zero)))
}

func TestCarryMovesByWhatLeadsFromOneToAnother(t *testing.T) {
	by, err := blend.NewFuncs(protocol.Linear[moving])
	require.NoError(t, err)
	half := float32(math.Sqrt2 / 2)
	from := moving{Pos: [2]float32{1, 2}, Health: 3, Yaw: 3, Rot: wxyz{W: 1}}
	to := moving{Pos: [2]float32{5, 0}, Health: 9, Yaw: -3, Rot: wxyz{W: half, Z: half}}
	at := moving{Pos: [2]float32{100, 100}, Health: 7, Yaw: 1, Alive: true, Rot: wxyz{W: half, Z: half}}
	at.Deep.Speed = 4
	by.Carry(bytesOf(&at), bytesOf(&from), bytesOf(&to), 0.5)
	assert.Equal(t, [2]float32{102, 99}, at.Pos)
	assert.Equal(t, float32(4), at.Deep.Speed)
	assert.InDelta(t, 1+(math.Pi-3), at.Yaw, 1e-9, "across the half turn")
	assert.Equal(t, int32(7), at.Health, "what is no quantity stays")
	assert.True(t, at.Alive)
	assert.InDelta(t, math.Cos(math.Pi*3/8), at.Rot.W, 1e-6, "a quarter turn, and half of one on top")
	assert.InDelta(t, math.Sin(math.Pi*3/8), at.Rot.Z, 1e-6)
}

func TestDiscreteFieldsAreCopied(t *testing.T) {
	by, err := blend.NewFuncs(protocol.Linear[moving])
	require.NoError(t, err)
	at := [2]moving{{Pos: [2]float32{1, 2}, Health: 3, Yaw: 3}, {Pos: [2]float32{4, 5}, Alive: true}}
	from := [2]moving{{Pos: [2]float32{7, 8}, Health: 9, Alive: true}, {Health: 5, Yaw: 1}}
	want := [2]moving{{Pos: [2]float32{1, 2}, Health: 9, Yaw: 3, Alive: true}, {Pos: [2]float32{4, 5}, Health: 5}}
	by.Discrete(bytesOf(&at), bytesOf(&from))
	assert.Equal(t, want, at)
	numbers, err := blend.NewFuncs(protocol.Linear[struct{ X, Y float32 }])
	require.NoError(t, err)
	assert.Nil(t, numbers.Discrete, "there is nothing else")
	other, err := blend.NewFuncs(protocol.Step[moving])
	require.NoError(t, err)
	assert.Nil(t, other.Discrete, "only the game knows what its function blends")
}

// Carrying by all of the difference from a to b leads from a to b, and from another value as far.
// This holds for any order of a quaternion's fields.
func TestCarryEndsWhereItLeads(t *testing.T) {
	type turn struct {
		Last  [4]float64 `net:"quat"`
		First wxyz       `net:"quat"`
	}
	by, err := blend.NewFuncs(protocol.Linear[turn])
	require.NoError(t, err)
	unit := rapid.Custom(func(t *rapid.T) [4]float64 {
		var q [4]float64
		length := 0.0
		for i := range q {
			q[i] = rapid.Float64Range(-1, 1).Draw(t, "q")
			length += q[i] * q[i]
		}
		if length < 1e-3 {
			return [4]float64{0, 0, 0, 1}
		}
		for i := range q {
			q[i] /= math.Sqrt(length)
		}
		return q
	})
	both := func(q [4]float64) turn {
		return turn{Last: q, First: wxyz{X: float32(q[0]), Y: float32(q[1]), Z: float32(q[2]), W: float32(q[3])}}
	}
	rapid.Check(t, func(t *rapid.T) {
		a, share := unit.Draw(t, "a"), rapid.Float64Range(0, 1).Draw(t, "share")
		b := unit.Filter(func(b [4]float64) bool { // half a turn has two shortest ways
			return math.Abs(a[0]*b[0]+a[1]*b[1]+a[2]*b[2]+a[3]*b[3]) >= 0.01
		}).Draw(t, "b")
		from, to := both(a), both(b)
		at := from
		by.Carry(bytesOf(&at), bytesOf(&from), bytesOf(&to), 1)
		alike(t, at.Last, b)
		again := both(unit.Draw(t, "elsewhere"))
		start := again
		by.Carry(bytesOf(&again), bytesOf(&from), bytesOf(&to), share)
		f := again.First
		alike(t, [4]float64{float64(f.X), float64(f.Y), float64(f.Z), float64(f.W)}, again.Last)
		by.Carry(bytesOf(&again), bytesOf(&to), bytesOf(&from), share)
		alike(t, again.Last, start.Last)
	})
}

// alike fails if two quaternions are not the same rotation.
func alike(t require.TestingT, a, b [4]float64) {
	var dot float64
	for i := range a {
		dot += a[i] * b[i]
	}
	require.InDelta(t, 1, math.Abs(dot), 1e-5)
}

// Blending and carrying a column gives the same as doing so value by value.
func TestColumnsAreBlendedAsTheirValues(t *testing.T) {
	column[moving](t, protocol.Linear[moving])
	column[[3]float32](t, protocol.Linear[[3]float32])
	column[struct {
		Turn float64 `net:"angle"`
	}](t, protocol.Linear[struct {
		Turn float64 `net:"angle"`
	}])
	column(t, func(a, b plain, t float64) plain { return plain{A: a.A + uint8(t*float64(b.A-a.A))} })
}

func column[T any](t *testing.T, f protocol.Lerp[T]) {
	t.Run(reflect.TypeFor[T]().String(), rapid.MakeCheck(func(t *rapid.T) {
		by, err := blend.NewFuncs(f)
		require.NoError(t, err)
		var a, b, into, want [5]T
		for i := range a {
			fill(t, reflect.ValueOf(&a[i]).Elem())
			fill(t, reflect.ValueOf(&b[i]).Elem())
		}
		share := rapid.Float64Range(-0.5, 1.5).Draw(t, "t")
		by.Blend(memoryOf(into[:]), memoryOf(a[:]), memoryOf(b[:]), share)
		for i := range want {
			by.Blend(bytesOf(&want[i]), bytesOf(&a[i]), bytesOf(&b[i]), share)
		}
		require.Equal(t, memoryOf(want[:]), memoryOf(into[:]))
		if by.Carry == nil {
			return
		}
		by.Carry(memoryOf(into[:]), memoryOf(a[:]), memoryOf(b[:]), share)
		for i := range want {
			by.Carry(bytesOf(&want[i]), bytesOf(&a[i]), bytesOf(&b[i]), share)
		}
		require.Equal(t, memoryOf(want[:]), memoryOf(into[:]))
	}))
}

func TestWhatCannotBeBlendedInMemory(t *testing.T) {
	_, err := blend.NewFuncs(func(a, _ withString, _ float64) withString { return a })
	assert.ErrorContains(t, err, "field Name")
	_, err = blend.NewFuncs(protocol.Linear[withString])
	assert.ErrorContains(t, err, "field Name")
	by, err := blend.NewFuncs(protocol.Linear[[2]float32])
	require.NoError(t, err)
	by.Blend(nil, nil, nil, 0.5)
	by.Carry(nil, nil, nil, 0.5)
	some := make([]byte, 16)
	assert.Panics(t, func() { by.Blend(some, some[:8], some, 0.5) })
	assert.Panics(t, func() { by.Carry(some[:12], some[:12], some[:12], 0.5) })
}
