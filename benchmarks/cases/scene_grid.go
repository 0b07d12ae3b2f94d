package cases

import (
	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/benchmarks/workload"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/interest"
	"github.com/entangle-ecs/entangle/internal/world/source"
)

// newGrid returns a grid of Entangle for the clients of a collector.
func newGrid(p *source.Collector) *source.Grid[workload.Pose] {
	config := source.GridConfig{
		Radius: workload.WalkSight, Every: 1, Cells: interest.GridConfig{Cell: workload.GridCell, Hysteresis: workload.GridHysteresis},
	}
	return source.NewGrid(p, config, func(p *workload.Pose) (x, y float32) { return p.Pos[0], p.Pos[1] })
}

// becomeViewer makes an entity a viewer of a client.
func becomeViewer(w *ecs.World, e ecs.Entity, client int) {
	w.Add(e, ecs.ComponentID[components.Viewer](w), ecs.ComponentID[components.ControlledBy](w))
	(*components.ControlledBy)(w.Get(e, ecs.ComponentID[components.ControlledBy](w))).Client = workload.ClientID(client)
}

// addGrid turns a scene into one in which entities walk about.
func (s *scene) addGrid() {
	s.walkers = workload.NewWalkers(s.cfg.entities, s.cfg.percent)
	s.poses = s.walkers
	ecs.AddResource(s.world, &components.Time{})
	s.grid = newGrid(s.collector)
}

// openEyes makes all entities visible by relevance, and gives every client a viewer.
func (s *scene) openEyes() {
	s.hideEntities()
	for client := range s.cfg.clients {
		becomeViewer(s.world, s.entities[workload.ViewerOf(client, s.cfg.clients)], client)
	}
}

// lookAround runs a pass of the grid.
func (s *scene) lookAround() {
	ecs.GetResource[components.Time](s.world).Tick = s.tick
	s.grid.Update()
}
