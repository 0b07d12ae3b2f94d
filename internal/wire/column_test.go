package wire_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/protocol"
)

type (
	whole3 struct {
		P [3]float32 `net:"range=-512..512,step=0.01"`
	}
	biased struct {
		A, B float64 `net:"range=0.3..7.1,step=0.02"`
	}
	mixed struct {
		On    bool
		P     [2]float32 `net:"range=-20..20,step=0.5"`
		Yaw   float32    `net:"angle,bits=10"`
		Level int16      `net:"range=-3..3"`
		Rot   [4]float32 `net:"quat"`
		Rest  float32
	}
)

// Rounding a column gives the same values as rounding them one by one.
func TestRoundingAColumnRoundsItsValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.OneOf(rapid.Float64Range(-600, 600), rapid.Float64Range(0, 8), rapid.Float64(),
			rapid.SampledFrom([]float64{0, math.NaN(), math.Inf(1), math.Inf(-1), 512, -512, 0.005, 0.25, 0.015, 1e300}))
		roundBoth(t, func() (v whole3) {
			for i := range v.P {
				v.P[i] = float32(number.Draw(t, "p"))
			}
			return v
		})
		roundBoth(t, func() biased { return biased{number.Draw(t, "a"), number.Draw(t, "b")} })
		roundBoth(t, func() (v mixed) {
			v.On, v.Level, v.Rest = true, int16(rapid.IntRange(-9, 9).Draw(t, "level")), 0.123
			v.P[0], v.P[1], v.Yaw = float32(number.Draw(t, "p")), 1.3, float32(number.Draw(t, "yaw"))
			v.Rot[rapid.IntRange(0, 3).Draw(t, "axis")], v.Rot[0] = 1, 0.3
			return v
		})
	})
}

func roundBoth[T any](t *rapid.T, draw func() T) {
	plan := planOf[T](t)
	column := make([]T, rapid.IntRange(0, 5).Draw(t, "count"))
	for i := range column {
		column[i] = draw()
	}
	each := slices.Clone(column)
	want := 0
	for i := range each {
		want += plan.Round(memoryOf(each[i : i+1]))
	}
	assert.Equal(t, want, plan.RoundColumn(memoryOf(column)))
	assert.Equal(t, memoryOf(each), memoryOf(column))
}

// planOf returns the plan of a component.
func planOf[T any](t require.TestingT) *wire.Plan {
	p := protocol.New(protocol.Config{Name: "column"})
	protocol.Component[T](p)
	require.NoError(t, p.Err())
	return registry.Of(p).ComponentOf(reflect.TypeFor[T]()).Plan
}

func TestAColumnIsMadeOfWholeValues(t *testing.T) {
	plan := planOf[whole3](t)
	assert.PanicsWithValue(t, "protocol: a column of wire_test.whole3 is 12 bytes for each value, got 13: pass exactly the memory of whole values",
		func() { plan.RoundColumn(make([]byte, 13)) })
}

func BenchmarkRoundColumn(b *testing.B) {
	plan := planOf[whole3](b)
	column := make([]whole3, 1000)
	for i := range column {
		column[i].P = [3]float32{rand.Float32() * 500, rand.Float32() * 500, rand.Float32() * 500}
	}
	b.Run("column", func(b *testing.B) {
		for b.Loop() {
			plan.RoundColumn(memoryOf(column))
		}
	})
	posePlan, poses := planOf[pose](b), make([]pose, 1000)
	for i := range poses {
		poses[i] = pose{Pos: column[i].P, Rot: [4]float32{0.5, 0.5, rand.Float32(), 0.2}}
	}
	b.Run("pose", func(b *testing.B) {
		for b.Loop() {
			posePlan.RoundColumn(memoryOf(poses))
		}
	})
	b.Run("each", func(b *testing.B) {
		for b.Loop() {
			for i := range column {
				plan.Round(memoryOf(column[i : i+1]))
			}
		}
	})
}
