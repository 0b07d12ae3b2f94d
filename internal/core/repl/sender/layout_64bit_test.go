//go:build amd64 || arm64

package sender

import (
	"reflect"
	"testing"

	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/stretchr/testify/assert"
)

// The data of groups and peers that is read in every tick fits into few cache lines.
func TestWhatIsReadTogetherLiesTogether(t *testing.T) {
	const line = 64
	assert.Zero(t, reflect.TypeFor[group]().Size()%line)
	assert.LessOrEqual(t, reflect.TypeFor[ident.Viewer]().Size(), uintptr(line/8))
	assert.LessOrEqual(t, reflect.TypeFor[planned]().Size(), uintptr(line/4))
	space := reflect.TypeFor[space]()
	steady, _ := space.FieldByName("steady")
	assert.LessOrEqual(t, steady.Offset+steady.Type.Size(), uintptr(3*line))
}
