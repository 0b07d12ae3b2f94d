// Package apps gives access from an Arche world to the parts of the app that networks it. Package
// plugin makes its handles from them; tests and netsim inspect both sides of a connection through
// them. A game cannot import this package.
package apps

import (
	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/endpoint"
	"github.com/entangle-ecs/entangle/internal/world/input"
	"github.com/entangle-ecs/entangle/internal/world/message"
	"github.com/entangle-ecs/entangle/internal/world/predict"
	"github.com/entangle-ecs/entangle/internal/world/sink"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/entangle-ecs/entangle/protocol"
)

// App holds the parts of the app of a world, and is a resource of that world.
type App struct {
	Protocol *protocol.Protocol
	Post     *message.Post
	Inputs   *input.Inputs

	// On a server or a host, else nil.
	Server    *endpoint.Server
	Collector *source.Collector
	Resources *message.Resources
	Rewind    *source.Rewind // nil: no component has the option Rewind

	// On a client, else nil.
	Client     *endpoint.Client
	Applier    *sink.Applier
	Prediction *predict.Prediction
}

// RewindComponents returns the components with the option Rewind.
func (a *App) RewindComponents() (infos []*registry.Component) {
	for _, info := range registry.Of(a.Protocol).Components {
		if info.Rewind {
			infos = append(infos, info)
		}
	}
	return infos
}

// Of returns the parts of the app of a world, nil for a world without one.
func Of(w *ecs.World) *App {
	if w == nil {
		return nil
	}
	parts, _ := w.Resources().Get(ecs.ResourceID[App](w)).(*App)
	return parts
}
