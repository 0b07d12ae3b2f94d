package receiver_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
)

// Plus adds every count. Each count has another value, so that none is taken for another.
func TestTheSumOfStatsHasEveryCount(t *testing.T) {
	var a, b, want receiver.Stats
	for i := range reflect.TypeFor[receiver.Stats]().NumField() {
		n := uint64(1) << i
		reflect.ValueOf(&a).Elem().Field(i).SetUint(n)
		reflect.ValueOf(&b).Elem().Field(i).SetUint(2 * n)
		reflect.ValueOf(&want).Elem().Field(i).SetUint(3 * n)
	}
	assert.Equal(t, want, a.Plus(b))
}
