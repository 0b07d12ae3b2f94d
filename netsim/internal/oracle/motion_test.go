package oracle

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle/internal/registry"
)

// at returns a sample of component 0 as of a tick; without a value, the entity does not have it then.
func at(tick float64, value ...float64) sample {
	s := sample{tick: tick, values: map[int]decoded{}}
	for _, x := range value {
		v := reflect.New(reflect.TypeFor[struct{ X float64 }]()).Elem()
		v.Field(0).SetFloat(x)
		s.values[0] = decoded{value: v, memory: memoryOf(v)}
	}
	return s
}

// A component that is removed, and inserted again before the removal is shown, has its former value until then.
func TestARemovedComponentHasItsFormerValue(t *testing.T) {
	m := motion{infos: []*registry.Component{{}}, second: 60, end: never}
	m.add(at(8, 1), 7, 2)
	m.advance(9)
	m.hold(at(12), 9, 2)
	m.add(at(14, 5), 9, 2)
	m.advance(11)
	v, _ := m.value(0, 11)
	assert.Equal(t, 1.0, v.value.Field(0).Float())
}
