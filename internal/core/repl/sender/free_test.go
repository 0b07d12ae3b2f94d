package sender

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// A handle gets the next generation only if a peer was sent it, so that generations say nothing of hidden
// groups, and is never given out again after its last one.
//
// Proves: R27
func TestAHandleIsFreedUnderItsNextGeneration(t *testing.T) {
	var free freeHandles
	free.put(freeHandle{3, 5}, true)
	free.put(freeHandle{4, 5}, false)
	free.put(freeHandle{5, repl.MaxGeneration - 1}, true)
	free.put(freeHandle{6, repl.MaxGeneration}, true)
	free.put(freeHandle{7, repl.MaxGeneration}, false)
	var got []freeHandle
	for h, ok := free.take(); ok; h, ok = free.take() {
		got = append(got, h)
	}
	assert.Equal(t, []freeHandle{{3, 6}, {4, 5}, {5, repl.MaxGeneration}, {7, repl.MaxGeneration}}, got)
}
