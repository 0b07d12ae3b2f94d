package netsim

import (
	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/plugin"
)

// App is a program that a simulation steps with one Update per frame: a plugin.Server or
// plugin.Client itself, or a type of the game that contains one and calls it.
type App = plugin.System

// Model makes an App of a model that owns its world, such as an arche-model model. The server or
// client is one of the model's systems.
func Model(m interface {
	Initialize()
	Update() bool
	Finalize()
},
) App {
	return model{m.Initialize, m.Update, m.Finalize}
}

type model struct {
	initialize func()
	update     func() bool
	finalize   func()
}

func (m model) Initialize(*ecs.World) { m.initialize() }
func (m model) Update(*ecs.World)     { m.update() }
func (m model) Finalize(*ecs.World)   { m.finalize() }
