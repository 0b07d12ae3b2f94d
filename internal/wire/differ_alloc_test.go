//go:build !race

package wire_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// The test must not run under the race detector, because a sync.Pool then drops values at random.
func TestADifferAllocatesNothing(t *testing.T) {
	plan := planDiffed(t, counterDiffer{})
	base, value, buf := counter{Count: 1}, counter{Count: 2}, make([]byte, 0, 64)
	var w bits.Writer
	var r bits.Reader
	var got counter
	from := &wire.Bases{Base: bytesOf(&base)}
	assert.Zero(t, alloctest.Count(50, func() {
		w.Reset(buf)
		plan.EncodeDelta(&w, from, bytesOf(&value), nil)
		r.Reset(w.Finish())
		_ = plan.DecodeDelta(&r, from, bytesOf(&got), nil)
	}))
}
