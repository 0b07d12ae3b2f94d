package plugin

import (
	"fmt"
	"math"
	"reflect"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/internal/core/interest"
	"github.com/entangle-ecs/entangle/internal/world/source"
)

// GridConfig configures a Grid.
type GridConfig struct {
	// Radius is the viewing distance of viewers without a Radius of their own, in the unit of the
	// positions. It must be above 0.
	Radius float32

	// Hysteresis extends the radius for entities that are already visible, as a fraction of the
	// viewer's radius, so that an entity moving to and fro at the edge does not spawn and despawn
	// each time. 0 is 0.1, a tenth; negative is none.
	Hysteresis float32

	// Every is the number of ticks between two passes: passes run in the ticks that are its
	// multiples. 0 is as often as the server sends (ServerConfig.SendEvery). A smaller value than
	// the server's has no effect; a larger one delays visibility by up to that many ticks.
	Every int

	// Cell is the edge length of the squares into which entities are sorted. It only affects the
	// cost of a pass. 0 is a third of Radius, which suits viewers with about that radius.
	Cell float32
}

// The defaults of a GridConfig.
const (
	gridHysteresis   = 0.1
	gridCellsToSight = 3
)

// Grid finds out by positions which entities matter to which clients: each client sees the entities
// around its viewers (components.Viewer), and no others that are components.ByInterest or Retained,
// unless another rule shows them; see components.Relevance. P is the component that holds an
// entity's position.
//
// It is a System for the set BeforeSend of a Server:
//
//	server.AddSystem(plugin.BeforeSend, plugin.NewGrid(plugin.GridConfig{Radius: 50},
//		func(p *Position) (x, y float32) { return p.X, p.Y }))
//
// A pass covers the entities that have a P and a components.Replicate with ByInterest or Retained,
// and the viewers that have a P. A child that inherits its Relevance has a Replicate with Always, and
// is not covered: set its Relevance to have it placed. The result of a pass holds until the next one,
// so an entity that spawns in between is invisible until then; with a pass in each sent tick, nothing
// is late. An entity without a P, or with a position that is not a number or farther out than 1e18,
// sees nothing and is not seen.
//
// The cost of a pass grows with the number of entities, and for each viewer with the number of
// entities around it. A pass allocates nothing once its memory has grown. There can be several
// grids, with other components and other radii: an entity visible in any of them matters.
type Grid[P any] struct {
	config   GridConfig
	position func(*P) (x, y float32)
	grid     *source.Grid[P]
}

// NewGrid returns a grid. Initialize reports mistakes in the config. position must depend on the
// component only, and must change nothing.
func NewGrid[P any](config GridConfig, position func(*P) (x, y float32)) *Grid[P] {
	return &Grid[P]{config: config, position: position}
}

// Initialize attaches the grid to a server's world. It panics in a world without a server, and for
// a config with mistakes.
func (g *Grid[P]) Initialize(w *ecs.World) {
	who := fmt.Sprintf("NewGrid[%v]", reflect.TypeFor[P]())
	if g.grid != nil {
		panic(fmt.Sprintf("plugin: %s is initialised for the second time; make a grid of its own for each server, and add it once", who))
	}
	collector := serverOf(w, who)
	if err := g.check(); err != nil {
		panic(fmt.Sprintf("plugin: %s: %v", who, err))
	}
	g.grid = source.NewGrid(collector, g.settings(collector.Stride()), g.position)
}

// Update runs a pass if one is due.
func (g *Grid[P]) Update(*ecs.World) { g.grid.Update() }

// Finalize does nothing.
func (g *Grid[P]) Finalize(*ecs.World) {}

// Invalid returns the number of entities and viewers with an invalid or too distant position, each
// counted once per pass. It is 0 in a game without mistakes.
func (g *Grid[P]) Invalid() uint64 {
	if g.grid == nil {
		return 0
	}
	return g.grid.Invalid()
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

// settings returns the config with its defaults, for a server that sends every stride ticks.
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
