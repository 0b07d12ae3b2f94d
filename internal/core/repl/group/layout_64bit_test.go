//go:build amd64 || arm64

package group

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
)

// The data of groups and peers that is read in every tick fits into few cache lines.
func TestWhatIsReadTogetherLiesTogether(t *testing.T) {
	const line = 64
	assert.Zero(t, reflect.TypeFor[Group]().Size()%line)
	assert.LessOrEqual(t, reflect.TypeFor[ident.Viewer]().Size(), uintptr(line/8))
	last, ok := reflect.TypeFor[Space]().FieldByName("Partial")
	assert.True(t, ok)
	assert.LessOrEqual(t, last.Offset+last.Type.Size(), uintptr(3*line))
}
