package source

import (
	"bytes"
	"log/slog"
	"math"
	"strings"
	"testing"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
)

// What Replicate asks for is what the sender is told; priorities that are none count as 1,
// and the log says so once.
func TestOddPrioritiesAreTakenAsOne(t *testing.T) {
	var out bytes.Buffer
	p := &Publisher{unregistered: unregistered{log: slog.New(slog.NewTextHandler(&out, nil))}}
	got := p.rate(&components.Replicate{Priority: 2.5, SendEvery: 3, MaxAge: 7}, ecs.Entity{})
	assert.Equal(t, sender.Rate{Priority: 2.5, Every: 3, MaxAge: 7}, got)
	assert.Empty(t, out.String())
	for _, odd := range []float64{-1, math.NaN(), math.Inf(1), math.Inf(-1)} {
		assert.EqualValues(t, 1, p.rate(&components.Replicate{Priority: float32(odd)}, ecs.Entity{}).Priority)
	}
	assert.Equal(t, 1, strings.Count(out.String(), "is taken as 1"))
}
