package main

import (
	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/interest"
	"github.com/entangle-ecs/entangle/internal/world/source"
)

// What the grids of the cases do: the same in ours and by hand.
const (
	gridHysteresis = 0.1
	gridCell       = walkSight / 4.0
)

// newGrid returns a grid of ours for the clients of a publisher.
func newGrid(p *source.Publisher) *source.Grid[encodePose] {
	config := source.GridConfig{
		Radius: walkSight, Every: 1, Cells: interest.GridConfig{Cell: gridCell, Hysteresis: gridHysteresis},
	}
	return source.NewGrid(p, config, func(p *encodePose) (x, y float32) { return p.Pos[0], p.Pos[1] })
}

// newWalkGrid returns one by hand, for the entities of the first square.
func newWalkGrid(entities, viewers int) *handGrid {
	x, y := walkCorner(0)
	near, stay := float32(walkSight), 1+float32(gridHysteresis)
	return newHandGrid(handArea{x, y, walkTile}, entities, viewers, near, near*stay)
}

// viewerOf is which entity is a client's viewer: one of the first square's.
func viewerOf(client, clients int) int { return client * viewEntities / clients }

// becomeViewer has an entity see for a client.
func becomeViewer(w *ecs.World, e ecs.Entity, client int) {
	w.Add(e, ecs.ComponentID[components.Viewer](w), ecs.ComponentID[components.ControlledBy](w))
	(*components.ControlledBy)(w.Get(e, ecs.ComponentID[components.ControlledBy](w))).Client = clientID(client)
}

// addGrid makes a scene one in which entities walk about.
func (s *scene) addGrid() {
	s.walkers = newWalkers(s.cfg.entities, s.cfg.percent)
	s.poses = s.walkers
	ecs.AddResource(s.world, &components.Time{})
	s.grid = newGrid(s.publisher)
}

// openEyes has all entities be shown to whom they matter, and gives every client a viewer.
func (s *scene) openEyes() {
	marker := ecs.ComponentID[components.Replicate](s.world)
	for _, e := range s.entities {
		(*components.Replicate)(s.world.Get(e, marker)).Relevance = components.ByInterest
	}
	for client := range s.cfg.clients {
		becomeViewer(s.world, s.entities[viewerOf(client, s.cfg.clients)], client)
	}
}

// lookAround makes a pass of the grid.
func (s *scene) lookAround() {
	ecs.GetResource[components.Time](s.world).Tick = s.tick
	s.grid.Update()
}
