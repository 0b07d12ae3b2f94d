package source

import (
	"bytes"
	"log/slog"
	"math"
	"strings"
	"testing"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
)

// The sender gets the settings of a Replicate. Invalid priorities count as 1, which is logged once.
func TestInvalidPrioritiesAreTakenAsOne(t *testing.T) {
	var out bytes.Buffer
	w := warnings{log: slog.New(slog.NewTextHandler(&out, nil))}
	got := w.rateOf(&components.Replicate{Priority: 2.5, SendEvery: 3, MaxAge: 7}, ecs.Entity{})
	assert.Equal(t, group.Rate{Priority: 2.5, Every: 3, MaxAge: 7}, got)
	assert.Empty(t, out.String())
	for _, invalid := range []float64{-1, math.NaN(), math.Inf(1), math.Inf(-1)} {
		assert.EqualValues(t, 1, w.rateOf(&components.Replicate{Priority: float32(invalid)}, ecs.Entity{}).Priority)
	}
	assert.Equal(t, 1, strings.Count(out.String(), "is taken as 1"))
}

// An interpolation target without components.Interpolated in the protocol is logged once.
func TestInterpolationWithoutItsComponentIsLogged(t *testing.T) {
	var out bytes.Buffer
	w := ecs.NewWorld()
	c, err := NewCollector(&w, nil, slog.New(slog.NewTextHandler(&out, nil)))
	if err != nil {
		t.Fatal(err)
	}
	spawn := generic.NewMap1[components.Replicate](&w)
	for _, target := range []components.Target{components.Default, components.Nobody} {
		spawn.NewWith(&components.Replicate{Interpolate: target})
	}
	assert.NoError(t, c.Observe(1))
	assert.Empty(t, out.String())
	for range 2 {
		spawn.NewWith(&components.Replicate{Interpolate: components.Everyone})
	}
	assert.NoError(t, c.Observe(2))
	assert.Equal(t, 1, strings.Count(out.String(), "components.Interpolated"))
}
