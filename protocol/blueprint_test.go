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

// What a blueprint adds, and the other side is not sent, rolls back without being registered, whatever the
// order of the registrations.
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

type (
	trigger struct{ Pull bool }
	lever   struct{ Pull bool }
)

// fires returns a function of an intent that fires nothing.
func fires[I, B any](ecs.Entity, I) (b B, ok bool) { return b, ok }

// Proves: T10
func TestMistakesWithIntents(t *testing.T) {
	ready := func(p *protocol.Protocol) {
		protocol.Component[components.ControlledBy](p)
		protocol.Component[components.Prespawned](p)
		protocol.Input[trigger](p)
		protocol.Blueprint(p, assemble[plan, struct{}])
	}
	as := components.Replicate{}
	check(t, []mistake{
		{"no input", func(p *protocol.Protocol) { ready(p); protocol.Intent(p, fires[lever, plan], as) }, protocol.ErrOptions, []string{"lever", "protocol.Input"}},
		{"no blueprint", func(p *protocol.Protocol) { ready(p); protocol.Intent(p, fires[trigger, hull], as) }, protocol.ErrOptions, []string{"hull", "protocol.Blueprint"}},
		{"twice", func(p *protocol.Protocol) {
			ready(p)
			protocol.Intent(p, fires[trigger, plan], as)
			protocol.Intent(p, fires[trigger, plan], as)
		}, protocol.ErrTwice, []string{"twice"}},
		{"nothing", func(p *protocol.Protocol) { ready(p); protocol.Intent[trigger, plan](p, nil, as) }, protocol.ErrOptions, []string{"nil"}},
		{"accepts nothing", func(p *protocol.Protocol) { ready(p); protocol.Intent(p, fires[trigger, plan], as).Accept(nil) }, protocol.ErrOptions, []string{"Accept"}},
		{"not owned", func(p *protocol.Protocol) {
			protocol.Component[components.Prespawned](p)
			protocol.Input[trigger](p)
			protocol.Blueprint(p, assemble[plan, struct{}])
			protocol.Intent(p, fires[trigger, plan], as)
		}, protocol.ErrOptions, []string{"components.ControlledBy"}},
		{"not prespawned", func(p *protocol.Protocol) {
			protocol.Component[components.ControlledBy](p)
			protocol.Input[trigger](p)
			protocol.Blueprint(p, assemble[plan, struct{}])
			protocol.Intent(p, fires[trigger, plan], as)
		}, protocol.ErrOptions, []string{"components.Prespawned"}},
	})
	p := protocol.New(protocol.Config{Name: "game"})
	ready(p)
	protocol.Intent(p, fires[trigger, plan], as).Accept(func(*ecs.World, ecs.Entity, plan) bool { return true })
	require.NoError(t, p.Err())
	of := registry.Of(p).ComponentOf(reflect.TypeFor[components.IntentOf]())
	require.NotNil(t, of)
	assert.True(t, of.Hierarchy)
	assert.Equal(t, registry.Full, of.Predict)
}

// Sides with different intents do not agree, and the difference names the intent.
//
// Proves: C16
func TestADifferentIntentIsFoundAndNamed(t *testing.T) {
	with := func(intents ...func(*protocol.Protocol)) []registry.Entry {
		p := protocol.New(protocol.Config{Name: "game"})
		protocol.Component[components.ControlledBy](p)
		protocol.Component[components.Prespawned](p)
		protocol.Input[trigger](p)
		protocol.Input[lever](p)
		protocol.Blueprint(p, assemble[plan, struct{}])
		for _, intent := range intents {
			intent(p)
		}
		require.NoError(t, p.Err())
		return registry.Of(p).Entries
	}
	triggers := func(p *protocol.Protocol) {
		protocol.Intent(p, fires[trigger, plan], components.Replicate{Predict: components.Owner})
	}
	levers := func(p *protocol.Protocol) { protocol.Intent(p, fires[lever, plan], components.Replicate{}) }
	const triggersIs = "intent github.com/entangle-ecs/entangle/protocol_test.trigger of github.com/entangle-ecs/entangle/protocol_test.plan is registered only on the "
	assert.Contains(t, registry.Diff(with(triggers), with()), triggersIs+"server")
	assert.Equal(t, triggersIs+"client", registry.Diff(with(levers), with(triggers, levers)))
	assert.Equal(t, with(triggers, levers), with(levers, triggers))
}
