package plugin

import (
	"fmt"
	"math"
	"reflect"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/internal/core/interest"
	"github.com/entangle-ecs/entangle/internal/world/source"
)

// GridConfig says how a Grid looks.
type GridConfig struct {
	// Radius is how far those viewers see that have no Radius of their own, in the unit of
	// the positions. It must be above 0.
	Radius float32

	// Hysteresis is by how much, as a part of a viewer's radius, one that was in sight may
	// be beyond it and stay there, so that who goes to and fro at the edge does not appear
	// and despawn each time. 0 is 0.1, a tenth; negative is none.
	Hysteresis float32

	// Every is how many ticks lie from one pass to the next: passes are in the ticks that
	// are its multiples. 0 is as often as the server sends (ServerConfig.SendEvery): more
	// often has no effect, and less often makes sight late by up to so many ticks.
	Every int

	// Cell is the edge of the squares that entities are sorted into. It changes what a
	// pass costs, and nothing else. 0 is a third of Radius, which is good where most
	// viewers see about that far.
	Cell float32
}

// The defaults of a GridConfig.
const (
	gridHysteresis   = 0.1
	gridCellsToSight = 3
)

// Grid finds out by their positions which entities matter to which clients: each client
// sees what the viewers see that see for it (components.Viewer), and no more of what is
// components.ByInterest or Retained, unless something else says so; see
// components.Relevance. P is the component that says where an entity is.
//
// It is a System for the set Send of a Server:
//
//	server.AddSystem(plugin.Send, plugin.NewGrid(plugin.GridConfig{Radius: 50},
//		func(p *Position) (x, y float32) { return p.X, p.Y }))
//
// In a pass it looks at the entities with a P and a components.Replicate that says
// ByInterest or Retained, and at the viewers with a P, as they are then. What it finds
// holds until the next pass, so an entity that comes in between is not seen before that;
// with a pass in each tick that is sent, nothing is late. What has lost its P, and what is
// at no number or farther out than 1e18, sees nothing and is not seen.
//
// What a pass costs follows the entities, and for each viewer those around it; nothing is
// allocated once its memory has grown. There can be several, with other components and
// other radii: what any of them has in sight matters.
type Grid[P any] struct {
	config   GridConfig
	position func(*P) (x, y float32)
	grid     *source.Grid[P]
}

// NewGrid returns a grid. What is wrong with the config is said when it is initialised.
// position must depend on nothing but the component, and change nothing.
func NewGrid[P any](config GridConfig, position func(*P) (x, y float32)) *Grid[P] {
	return &Grid[P]{config: config, position: position}
}

// Initialize makes the grid part of a server's world. It panics in a world without a
// server, and for a config with mistakes.
func (g *Grid[P]) Initialize(w *ecs.World) {
	who := fmt.Sprintf("NewGrid[%v]", reflect.TypeFor[P]())
	if g.grid != nil {
		panic(fmt.Sprintf("plugin: %s is initialised for the second time; make a grid of its own for each server, and add it once", who))
	}
	publisher := serverOf(w, who)
	if err := g.check(); err != nil {
		panic(fmt.Sprintf("plugin: %s: %v", who, err))
	}
	g.grid = source.NewGrid(publisher, g.settings(publisher.Stride()), g.position)
}

// Update makes a pass if one is due.
func (g *Grid[P]) Update(*ecs.World) { g.grid.Update() }

// Finalize does nothing.
func (g *Grid[P]) Finalize(*ecs.World) {}

// Astray returns how many entities and viewers were at no number or too far out in the
// passes so far, each once a pass. It is 0 in a game without mistakes.
func (g *Grid[P]) Astray() uint64 {
	if g.grid == nil {
		return 0
	}
	return g.grid.Astray()
}

func (g *Grid[P]) check() error {
	c := g.config
	switch {
	case g.position == nil:
		return fmt.Errorf("the function is nil; give it one that returns where a %v is", reflect.TypeFor[P]())
	case !(c.Radius > 0) || isInf(c.Radius):
		return fmt.Errorf("GridConfig.Radius is %v; say how far viewers see, above 0", c.Radius)
	case c.Hysteresis != c.Hysteresis || isInf(c.Hysteresis):
		return fmt.Errorf("GridConfig.Hysteresis is %v; give it a part of the radius, 0 for a tenth or -1 for none", c.Hysteresis)
	case !(c.Cell >= 0) || isInf(c.Cell):
		return fmt.Errorf("GridConfig.Cell is %v; give it a length, or 0 for a third of Radius", c.Cell)
	case c.Every < 0:
		return fmt.Errorf("GridConfig.Every is %d; give it a number of ticks, or 0 for as often as the server sends", c.Every)
	}
	return nil
}

func isInf(v float32) bool { return math.IsInf(float64(v), 0) }

// settings returns the config with its defaults, for a server that sends after so many
// ticks.
func (g *Grid[P]) settings(stride int) source.GridConfig {
	c := g.config
	switch {
	case c.Hysteresis == 0:
		c.Hysteresis = gridHysteresis
	case c.Hysteresis < 0:
		c.Hysteresis = 0
	}
	if c.Cell == 0 {
		c.Cell = c.Radius / gridCellsToSight
	}
	if c.Every == 0 {
		c.Every = stride
	}
	return source.GridConfig{
		Radius: c.Radius, Every: c.Every,
		Cells: interest.GridConfig{Cell: c.Cell, Hysteresis: c.Hysteresis},
	}
}
