package source

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/interest"
	"github.com/mlange-42/arche/ecs"
)

// GridConfig configures a Grid. It is not validated.
type GridConfig struct {
	Radius float32             // of viewers without a radius of their own
	Every  int                 // ticks between two passes, at least 1
	Cells  interest.GridConfig // size of the cells, and the margin for staying visible
}

// Grid computes from the positions of one component type which entities clients see.
type Grid[P any] struct {
	world    *ecs.World
	time     *components.Time
	interest *Interest
	grid     *interest.Grid
	config   GridConfig
	position func(*P) (x, y float32)
	last     entangle.Tick // of the previous frame

	entities, viewers        ecs.CachedFilter
	place, replicate, viewer ecs.ID
	control                  ecs.ID
}

// NewGrid returns a grid for the clients of a collector. The world needs a components.Time.
func NewGrid[P any](p *Collector, config GridConfig, position func(*P) (x, y float32)) *Grid[P] {
	w := p.Arche
	g := &Grid[P]{
		world: w, time: ecs.GetResource[components.Time](w), interest: p.Interest(),
		grid: interest.NewGrid(p.Interest().Relevance(), config.Cells), config: config, position: position,
		place: ecs.ComponentID[P](w), replicate: p.marker,
		viewer: ecs.ComponentID[components.Viewer](w), control: p.Sent.control,
	}
	g.last = g.time.Tick
	g.entities = w.Cache().Register(ecs.All(g.place, g.replicate))
	g.viewers = w.Cache().Register(ecs.All(g.place, g.viewer))
	return g
}

// Invalid returns how many entities and viewers had an invalid position, counted once per pass.
func (g *Grid[P]) Invalid() uint64 { return g.grid.Invalid() }

// Update makes a pass in frames with a tick that is a multiple of Every.
func (g *Grid[P]) Update() {
	now, every := g.time.Tick, entangle.Tick(g.config.Every)
	due := now/every != g.last/every
	g.last = now
	if !due {
		return
	}
	g.grid.Begin()
	g.addViewers()
	if g.grid.HasViewers() {
		g.placeEntities()
	}
	g.grid.Finish()
}

// addViewers sets the positions of all viewers.
func (g *Grid[P]) addViewers() {
	for query := g.world.Query(&g.viewers); query.Next(); {
		v := (*components.Viewer)(query.Get(g.viewer))
		x, y := g.position((*P)(query.Get(g.place)))
		radius := v.Radius
		if radius == 0 {
			radius = g.config.Radius
		}
		if v.Room != 0 {
			g.grid.AddRoomViewer(uint32(v.Room), x, y, radius)
		} else if row, ok := g.rowOf(&query); ok {
			g.grid.AddViewer(row, x, y, radius)
		}
	}
}

// rowOf returns the row of the client that a viewer belongs to, if it is connected.
func (g *Grid[P]) rowOf(query *ecs.Query) (row int, ok bool) {
	if !query.Has(g.control) {
		return 0, false
	}
	return g.interest.Row((*components.ControlledBy)(query.Get(g.control)).Client)
}

// placeEntities sets the positions of all entities with conditional relevance.
func (g *Grid[P]) placeEntities() {
	grid, numbers, position := g.grid, g.interest, g.position
	replicate, place := g.replicate, g.place
	query := g.world.Query(&g.entities) // declared outside the loop, which would copy it for each entity
	for query.Next() {
		if (*components.Replicate)(query.Get(replicate)).Relevance == components.Always {
			continue
		}
		n, ok := numbers.Known(query.Entity())
		if !ok {
			n = numbers.Number(query.Entity())
		}
		x, y := position((*P)(query.Get(place)))
		grid.Place(n, x, y)
	}
}
