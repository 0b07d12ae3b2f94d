//go:build amd64 || arm64

package sender

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
)

// What is read of so many groups and peers in every tick fits into few lines of the cache.
func TestWhatIsReadTogetherLiesTogether(t *testing.T) {
	const line = 64
	assert.Zero(t, reflect.TypeFor[group]().Size()%line)
	assert.LessOrEqual(t, reflect.TypeFor[viewer]().Size(), uintptr(line/8))
	assert.LessOrEqual(t, reflect.TypeFor[planned]().Size(), uintptr(line/4))
	space := reflect.TypeFor[space]()
	steady, _ := space.FieldByName("steady")
	assert.LessOrEqual(t, steady.Offset+steady.Type.Size(), uintptr(3*line))
}
