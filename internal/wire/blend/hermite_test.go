package blend_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/internal/wire/blend"
)

type (
	place struct {
		X    float32
		Name uint16
		Deep struct{ Y float64 }
		Turn float64 `net:"angle"`
	}
	speed struct {
		X    float32
		Y, T float64
	}
)

// plainHermite is the curve as a textbook has it: four polynomials.
func plainHermite(p0, v0, p1, v1, span, t float64) float64 {
	h00 := 2*math.Pow(t, 3) - 3*math.Pow(t, 2) + 1
	h10 := math.Pow(t, 3) - 2*math.Pow(t, 2) + t
	h01 := -2*math.Pow(t, 3) + 3*math.Pow(t, 2)
	h11 := math.Pow(t, 3) - math.Pow(t, 2)
	return h00*p0 + h10*span*v0 + h01*p1 + h11*span*v1
}

func TestHermiteIsTheCubicCurve(t *testing.T) {
	f, err := blend.NewHermite[place, speed]()
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.Float64Range(-100, 100)
		draw := func() (p place, v speed) {
			p = place{X: float32(number.Draw(t, "x")), Name: rapid.Uint16().Draw(t, "name"), Turn: rapid.Float64Range(-1.5, 1.5).Draw(t, "turn")}
			p.Deep.Y = number.Draw(t, "y")
			return p, speed{float32(number.Draw(t, "vx")), number.Draw(t, "vy"), number.Draw(t, "vt")}
		}
		a, v := draw()
		b, w := draw()
		span, at := rapid.Float64Range(0.001, 10).Draw(t, "span"), rapid.Float64Range(0.001, 0.999).Draw(t, "t")
		var got place
		f(bytesOf(&got), bytesOf(&a), bytesOf(&v), bytesOf(&b), bytesOf(&w), span, at)
		assert.InDelta(t, plainHermite(float64(a.X), float64(v.X), float64(b.X), float64(w.X), span, at), got.X, 1e-3)
		assert.InDelta(t, plainHermite(a.Deep.Y, v.Y, b.Deep.Y, w.Y, span, at), got.Deep.Y, 1e-9)
		assert.InDelta(t, plainHermite(a.Turn, v.T, b.Turn, w.T, span, at), got.Turn, 1e-9)
		assert.Equal(t, a.Name, got.Name, "other memory is that of the first")

		first, second := a, b
		f(bytesOf(&first), bytesOf(&first), bytesOf(&v), bytesOf(&b), bytesOf(&w), span, at)
		f(bytesOf(&second), bytesOf(&a), bytesOf(&v), bytesOf(&second), bytesOf(&w), span, at)
		assert.Equal(t, got, first, "over the first")
		assert.Equal(t, got, second, "over the second")
		f(bytesOf(&got), bytesOf(&a), bytesOf(&v), bytesOf(&b), bytesOf(&w), span, 0)
		assert.Equal(t, a, got)
		f(bytesOf(&got), bytesOf(&a), bytesOf(&v), bytesOf(&b), bytesOf(&w), span, 1)
		assert.Equal(t, b, got)
	})
}

// A ball in free flight is shown on its parabola, also between samples far from each other. Angles
// turn the shorter way around.
func TestHermiteFollowsTheMovement(t *testing.T) {
	type height struct{ Y float64 }
	f, err := blend.NewHermite[height, height]()
	require.NoError(t, err)
	at := func(seconds float64) (p, v height) {
		return height{20*seconds - 9.81/2*seconds*seconds}, height{20 - 9.81*seconds}
	}
	p0, v0 := at(1)
	p1, v1 := at(1.5)
	for _, share := range []float64{0.1, 0.5, 0.9} {
		want, _ := at(1 + 0.5*share)
		var got height
		f(bytesOf(&got), bytesOf(&p0), bytesOf(&v0), bytesOf(&p1), bytesOf(&v1), 0.5, share)
		assert.InDelta(t, want.Y, got.Y, 1e-12)
	}

	turns, err := blend.NewHermite[struct {
		A float32 `net:"angle"`
	}, struct{ A float32 }]()
	require.NoError(t, err)
	a, b, v, got := float32(3), float32(-3), float32(0), float32(0)
	turns(bytesOf(&got), bytesOf(&a), bytesOf(&v), bytesOf(&b), bytesOf(&v), 1, 0.5)
	assert.InDelta(t, math.Pi, got, 1e-6)
	assert.Zero(t, alloctest.Count(100, func() {
		turns(bytesOf(&got), bytesOf(&a), bytesOf(&v), bytesOf(&b), bytesOf(&v), 1, 0.5)
	}))
	assert.Panics(t, func() { turns(nil, nil, nil, nil, nil, 1, 0.5) })
}

func TestWhatHermiteCannotBlend(t *testing.T) {
	_, err := blend.NewHermite[[3]float32, [2]float32]()
	assert.ErrorContains(t, err, "3 floats")
	_, err = blend.NewHermite[[2]float32, [2]float64]()
	assert.ErrorContains(t, err, "float 0")
	_, err = blend.NewHermite[struct {
		Q [4]float32 `net:"quat"`
	}, [1]float32]()
	assert.ErrorContains(t, err, "float 0")
	_, err = blend.NewHermite[withString, [1]float32]()
	assert.ErrorContains(t, err, "field Name")
	_, err = blend.NewHermite[[1]float32, struct {
		A float32
		B *int
	}]()
	assert.ErrorContains(t, err, "field B")
	_, err = blend.NewHermite[int, int]()
	assert.ErrorContains(t, err, "0 floats")
}
