package blend_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/wire/blend"
	"github.com/entangle-ecs/entangle/protocol"
)

type moving struct {
	Pos    [2]float32
	Health int32
	Yaw    float64 `net:"angle"`
	Alive  bool
	Rot    wxyz `net:"quat"`
	Deep   struct{ Speed float32 }
}

func TestLinearBlendsFieldByField(t *testing.T) {
	half := math.Sqrt2 / 2
	a := moving{Pos: [2]float32{0, 10}, Health: 1, Yaw: 3, Rot: wxyz{W: 1}}
	b := moving{Pos: [2]float32{4, 20}, Health: 3, Yaw: -3, Alive: true, Rot: wxyz{W: float32(half), X: float32(half)}}
	b.Deep.Speed = 8

	got := protocol.Linear(a, b, 0.25)
	assert.Equal(t, [2]float32{1, 12.5}, got.Pos)
	assert.Equal(t, float32(2), got.Deep.Speed)
	assert.Equal(t, int32(1), got.Health, "a number in between may mean something else")
	assert.False(t, got.Alive)
	assert.InDelta(t, 3+(2*math.Pi-6)/4, got.Yaw, 1e-9, "across the half turn, not back through zero")
	assert.InDelta(t, math.Cos(math.Pi/16), got.Rot.W, 1e-6)
	assert.InDelta(t, math.Sin(math.Pi/16), got.Rot.X, 1e-6)

	assert.Equal(t, a, protocol.Linear(a, b, 0))
	assert.Equal(t, b, protocol.Linear(a, b, 1), "it comes to rest exactly there")
	assert.Equal(t, a, protocol.Linear(a, b, -1))
	assert.Equal(t, b, protocol.Linear(a, b, 2))
	assert.Equal(t, a, protocol.Linear(a, b, math.NaN()))
}

func TestRotationsTakeTheShorterArc(t *testing.T) {
	type turn struct {
		Q [4]float64 `net:"quat"`
	}
	at := func(degrees float64) turn {
		s, c := math.Sincos(degrees * math.Pi / 360)
		return turn{[4]float64{s, 0, 0, c}}
	}
	l, err := blend.NewLinear[turn]()
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		from, by := rapid.Float64Range(-400, 400).Draw(t, "from"), rapid.Float64Range(-179, 179).Draw(t, "by")
		share := rapid.Float64Range(0, 1).Draw(t, "t")
		a, b := at(from), at(from+by)
		if rapid.Bool().Draw(t, "other sign") {
			for i := range b.Q {
				b.Q[i] = -b.Q[i]
			}
		}
		got, want := l(a, b, share), at(from+by*share)
		var dot float64
		for i := range got.Q {
			dot += got.Q[i] * want.Q[i]
		}
		require.InDelta(t, 1, math.Abs(dot), 1e-6)
	})
	var none turn
	assert.Equal(t, none, l(none, none, 0.5))
}

// When Linear is registered, it is compiled: it gives the same values, works on memory and
// allocates nothing.
func TestInterpolateCompilesLinear(t *testing.T) {
	p := protocol.New(protocol.Config{Name: "game"})
	protocol.Component[moving](p).Interpolate(protocol.Linear)
	require.NoError(t, registry.Seal(p))
	info := registry.Of(p).ComponentOf(reflect.TypeFor[moving]())
	lerp, err := blend.NewLinear[moving]()
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		var a, b, into moving
		fill(t, reflect.ValueOf(&a).Elem())
		fill(t, reflect.ValueOf(&b).Elem())
		share := rapid.Float64Range(-0.5, 1.5).Draw(t, "t")
		want := protocol.Linear(a, b, share)
		got := lerp(a, b, share)
		require.Equal(t, bytesOf(&want), bytesOf(&got))

		info.Blend(bytesOf(&into), bytesOf(&a), bytesOf(&b), share)
		require.Equal(t, bytesOf(&want), bytesOf(&into))
		first, second := a, b
		info.Blend(bytesOf(&first), bytesOf(&first), bytesOf(&b), share)
		info.Blend(bytesOf(&second), bytesOf(&a), bytesOf(&second), share)
		require.Equal(t, bytesOf(&want), bytesOf(&first), "over the first")
		require.Equal(t, bytesOf(&want), bytesOf(&second), "over the second")
	})
	var a, b moving
	assert.Zero(t, alloctest.Count(100, func() {
		info.Blend(bytesOf(&a), bytesOf(&a), bytesOf(&b), 0.5)
		a = lerp(a, b, 0.5)
	}))
}

// Linear is recognised even if the function that registers it is generic.
func TestLinearIsRecognisedThroughAGenericFunction(t *testing.T) {
	p := protocol.New(protocol.Config{Name: "game"})
	both[moving](p)
	a, b := moving{}, moving{Pos: [2]float32{2, 2}}
	blend := registry.Of(p).Components[0].Blend
	assert.Zero(t, alloctest.Count(100, func() { blend(bytesOf(&a), bytesOf(&a), bytesOf(&b), 0.5) }))
}

func both[T any](p *protocol.Protocol) { protocol.Component[T](p).Interpolate(protocol.Linear[T]) }

func TestAFunctionOfTheGamesOwn(t *testing.T) {
	p := protocol.New(protocol.Config{Name: "game"})
	calls := 0
	mine := func(a, b plain, t float64) plain {
		calls++
		if math.IsNaN(t) {
			panic("a function may not expect this")
		}
		return plain{A: uint8(float64(a.A) + t*float64(b.A-a.A))}
	}
	protocol.Component[plain](p).Interpolate(mine).
		Snap(func(a, b plain) bool { return b.A-a.A > 100 }).
		Predict(protocol.Full).Tolerance(func(x, y plain) bool { return x.B == y.B })
	require.NoError(t, p.Err())
	assert.Equal(t, 1, calls, "asked once whether it is Linear")
	info := registry.Of(p).ComponentOf(reflect.TypeFor[plain]())
	a, b, into := plain{A: 10}, plain{A: 20, B: 1}, plain{}
	info.Blend(bytesOf(&into), bytesOf(&a), bytesOf(&b), 0.5)
	assert.Equal(t, plain{A: 15}, into)
	assert.False(t, info.TooFar(bytesOf(&a), bytesOf(&b)))
	assert.False(t, info.Same(bytesOf(&a), bytesOf(&b)))
	b = plain{A: 200}
	assert.True(t, info.TooFar(bytesOf(&a), bytesOf(&b)))
	assert.True(t, info.Same(bytesOf(&a), bytesOf(&b)))
}

func TestWhatLinearCannotBlend(t *testing.T) {
	_, err := blend.NewLinear[withString]()
	assert.ErrorContains(t, err, "field Name")
	_, err = blend.NewLinear[struct {
		A float32 `net:"what"`
	}]()
	assert.ErrorContains(t, err, "field A")
}
