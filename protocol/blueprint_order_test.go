package protocol_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/protocol"
)

type firstPlan struct{ components.At }

// An entity with two blueprints of one tick is assembled from them in the same order on both sides, whatever the
// order of the registrations: that of their names.
//
// Proves: T4
func TestTheOrderOfBlueprintsIsThatOfTheirNames(t *testing.T) {
	register := []func(p *protocol.Protocol){
		func(p *protocol.Protocol) { protocol.Blueprint(p, assemble[plan, struct{ hull }]) },
		func(p *protocol.Protocol) { protocol.Blueprint(p, assemble[firstPlan, struct{ hull }]) },
	}
	for first := range 2 {
		p := protocol.New(protocol.Config{Name: "game"})
		register[first](p)
		register[1-first](p)
		require.NoError(t, registry.Seal(p))
		var order []reflect.Type
		for _, b := range registry.Of(p).Blueprints {
			order = append(order, b.Type)
		}
		assert.Equal(t, []reflect.Type{reflect.TypeFor[firstPlan](), reflect.TypeFor[plan]()}, order)
	}
}
