package alloctest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle/internal/alloctest"
)

var sink *[]byte

func TestOneAllocationInManyRunsCounts(t *testing.T) {
	run := 0
	rarely := func() {
		if run++; run%100 == 0 {
			sink = new([]byte)
		}
	}
	assert.Zero(t, testing.AllocsPerRun(300, rarely), "the average hides the allocation")
	run = 0
	assert.EqualValues(t, 3, alloctest.Count(300, rarely))
	assert.Zero(t, alloctest.Count(300, func() {}))
}

func TestAnAllocationThatHappensOnceDoesNotCount(t *testing.T) {
	run := 0
	assert.Zero(t, alloctest.Count(300, func() {
		if run++; run == 150 {
			sink = new([]byte)
		}
	}))
	run = 0
	assert.EqualValues(t, 1, alloctest.Count(300, func() {
		if run++; run%300 == 150 {
			sink = new([]byte)
		}
	}))
}
