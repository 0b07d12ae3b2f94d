//go:build amd64 || arm64

package snapshot

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestStatsCountTheMemoryOfASlot(t *testing.T) {
	size := reflect.TypeFor[entity]().Size() + reflect.TypeFor[member]().Size() + 3*4 + reflect.TypeFor[Slot]().Size()
	assert.EqualValues(t, slotBytes, size)
}
