package apps

import (
	"fmt"
	"reflect"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
)

// ServerMirror returns the replicated state of a server, entity by entity in wire encodings. It
// costs as much as sending the whole world. The error says why the world cannot be read.
func (p *App) ServerMirror() (*inspect.Mirror, error) {
	m, err := p.Collector.Mirror(registry.Of(p.Protocol).Components)
	if err == nil {
		m.ResourceInfos, m.Resources = registry.Of(p.Protocol).Resources, p.Resources.Mirror()
	}
	return m, err
}

// ClientMirror returns a client's replicas of the server's world, entity by entity in wire
// encodings. It costs as much as receiving the whole world.
func (p *App) ClientMirror() *inspect.Mirror {
	m := p.Client.Mirror(registry.Of(p.Protocol).Components)
	m.ResourceInfos = registry.Of(p.Protocol).Resources
	return m
}

// Predicted returns the predicted entities in their present state in a client's world, with the
// components that are predicted in full.
func (p *App) Predicted() *inspect.Mirror {
	return p.Applier.Predicted(registry.Of(p.Protocol).Components)
}

// InputAt returns the currently known input of an entity in one of the ticks still kept: on a
// client for its own entities, and for those of others if their inputs are rebroadcast. It panics if T
// is not registered as an input.
func InputAt[T any](p *App, e ecs.Entity, tick entangle.Tick) (input T, status event.InputStatus) {
	t := reflect.TypeFor[T]()
	number, ok := p.Inputs.Number(t)
	if !ok {
		panic(fmt.Sprintf("apps: %v is not registered as an input", t))
	}
	value, status := p.Inputs.At(number, e, tick)
	if status != event.NoInput {
		input = columns.ValueOf[T](value)
	}
	return input, status
}
