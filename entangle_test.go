package entangle_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle"
)

func TestTickComparesAcrossTheWrap(t *testing.T) {
	last := entangle.Tick(math.MaxUint32)
	first := last + 2
	assert.True(t, last.Before(first))
	assert.False(t, first.Before(last))
	assert.False(t, last.Before(last))
	assert.Equal(t, int32(2), first.Sub(last))
	assert.Equal(t, int32(-2), last.Sub(first))
}
