//go:build amd64 || arm64

package sender

import (
	"reflect"
	"testing"

	"github.com/entangle-ecs/entangle/internal/core/repl/encode"
	"github.com/stretchr/testify/assert"
)

// Four planned records fit into a cache line.
func TestPlannedRecordsAreSmall(t *testing.T) {
	assert.LessOrEqual(t, reflect.TypeFor[encode.Update]().Size(), uintptr(64/4))
}
