//go:build amd64 || arm64

package sender

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Four planned records fit into a cache line.
func TestPlannedRecordsAreSmall(t *testing.T) {
	assert.LessOrEqual(t, reflect.TypeFor[planned]().Size(), uintptr(64/4))
}
