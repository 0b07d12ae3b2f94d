package protocol_test

import (
	"reflect"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/protocol"
)

type (
	plan struct {
		components.At
		Size int32
	}
	planWithoutTick struct{ Size int32 }
	hull            struct{ Size int32 }
	engine          struct{ Power int32 }
	sprite          struct{ Name string }
	dock            struct{ ecs.Relation }
)

// assemble returns a function of a blueprint that returns no components.
func assemble[B, P any](*ecs.World, ecs.Entity, B) (parts P) { return parts }

// Proves: T4
func TestMistakesWithBlueprints(t *testing.T) {
	check(t, []mistake{
		{"no tick", func(p *protocol.Protocol) { protocol.Blueprint(p, assemble[planWithoutTick, struct{}]) }, protocol.ErrType, []string{"components.At"}},
		{"no struct", func(p *protocol.Protocol) { protocol.Blueprint(p, assemble[plan, int]) }, protocol.ErrType, []string{"struct"}},
		{"twice", func(p *protocol.Protocol) { protocol.Blueprint(p, assemble[plan, struct{ A, B hull }]) }, protocol.ErrType, []string{"hull twice"}},
		{"relation", func(p *protocol.Protocol) { protocol.Blueprint(p, assemble[plan, struct{ dock }]) }, protocol.ErrType, []string{"relation"}},
		{"nothing", func(p *protocol.Protocol) { protocol.Blueprint[plan, struct{}](p, nil) }, protocol.ErrOptions, []string{"nil"}},
		{"no refresh", func(p *protocol.Protocol) { protocol.Blueprint(p, assemble[plan, struct{}]).Refresh(nil) }, protocol.ErrOptions, []string{"Refresh"}},
		{"two refreshes", func(p *protocol.Protocol) {
			f := func(*ecs.World, ecs.Entity, *plan) {}
			protocol.Blueprint(p, assemble[plan, struct{}]).Refresh(f).Refresh(f)
		}, protocol.ErrTwice, []string{"Refresh"}},
		{"registered before", func(p *protocol.Protocol) {
			protocol.Component[plan](p)
			protocol.Blueprint(p, assemble[plan, struct{}])
		}, protocol.ErrTwice, []string{"plan"}},
		{"pointers", func(p *protocol.Protocol) { protocol.Blueprint(p, assemble[plan, struct{ sprite }]) }, protocol.ErrType, []string{"sprite", "protocol.Unsent"}},
	})
}

// What a blueprint adds, and the other side is not sent, rolls back without being registered, whatever the order of the
// registrations.
func TestPartsOfBlueprintsAreLocal(t *testing.T) {
	p := protocol.New(protocol.Config{Name: "game"})
	protocol.Blueprint(p, assemble[plan, struct {
		hull
		engine
		sprite
		components.Replicate
	}])
	protocol.Component[hull](p)
	protocol.Unsent[sprite](p)
	require.NoError(t, p.Err())
	r := registry.Of(p)
	var locals []reflect.Type
	for _, l := range r.Locals {
		locals = append(locals, l.Type)
	}
	require.Len(t, r.Blueprints, 1)
	assert.ElementsMatch(t, []reflect.Type{reflect.TypeFor[engine](), r.Blueprints[0].Mark}, locals)
	info := r.ComponentOf(reflect.TypeFor[plan]())
	assert.True(t, info.Once)
	assert.Equal(t, registry.Once, info.Predict)
}
