package scene

import (
	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
)

// PlainGrid returns a system that computes the expected result of a plugin.Grid by testing every
// pair of viewer and entity. The scene then uses this result in its comparisons, like the relevance
// that its verbs set: see Game.Verbs. For each grid of the server, add one to the server in
// the set BeforeSend, with that grid's config and position function. The config must have a Radius.
func PlainGrid[P any](scene *Game, config plugin.GridConfig, position func(*P) (x, y float32)) plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		g, expected := newPlainGrid(config), scene.expectedRelevance()
		expected.grids = append(expected.grids, g)
		g.world, g.time = w, ecs.GetResource[components.Time](w)
		g.last = g.time.Tick
		g.place = ecs.ComponentID[P](w)
		g.position = func(q *ecs.Query) (x, y float32) { return position((*P)(q.Get(g.place))) }
		return func() { g.updateAtTick(scene.expectedRelevance(), scene.sim.Server().Clients()) }
	})
}

// plainGrid computes which entities a grid makes visible, by the rules of the grid.
type plainGrid struct {
	seen map[pairing]bool
	was  map[viewpoint]map[ecs.Entity]bool // visible after the last pass

	world    *ecs.World
	time     *components.Time
	last     entangle.Tick
	every    entangle.Tick
	radius   float32
	stay     float32 // factor of the radius for entities that were visible before
	place    ecs.ID
	position func(*ecs.Query) (x, y float32)
}

// viewpoint identifies the viewers that share one result: those of a client, or those of a room.
type viewpoint struct {
	client entangle.ClientID
	room   components.Room
}

// placed is a viewer or a visible entity, with its position.
type placed struct {
	x, y, radius float32
	viewpoint    viewpoint
	entity       ecs.Entity
}

func newPlainGrid(config plugin.GridConfig) *plainGrid {
	g := &plainGrid{
		seen: map[pairing]bool{}, was: map[viewpoint]map[ecs.Entity]bool{},
		every: entangle.Tick(max(config.Every, 1)), radius: config.Radius, stay: 1 + config.Hysteresis,
	}
	if config.Hysteresis == 0 {
		g.stay = 1.1
	} else if config.Hysteresis < 0 {
		g.stay = 1
	}
	return g
}

// updateAtTick recomputes the result in each frame with a tick that is a multiple of every.
func (g *plainGrid) updateAtTick(r *relevance, clients []plugin.ClientInfo) {
	now := g.time.Tick
	due := now/g.every != g.last/g.every
	if g.last = now; due {
		g.recompute(r, clients)
	}
}

// recompute tests every pair of viewer and entity.
func (g *plainGrid) recompute(r *relevance, clients []plugin.ClientInfo) {
	now := map[viewpoint]map[ecs.Entity]bool{}
	all := g.entities()
	for _, v := range g.viewers() {
		if now[v.viewpoint] == nil {
			now[v.viewpoint] = map[ecs.Entity]bool{}
		}
		for _, other := range all {
			if g.sees(v, other) {
				now[v.viewpoint][other.entity] = true
			}
		}
	}
	g.was = map[viewpoint]map[ecs.Entity]bool{}
	g.seen = map[pairing]bool{}
	for at, entities := range now {
		for _, client := range clients {
			if client.ID != at.client && !r.InRoom(at.room, client.ID) {
				continue
			}
			g.was[at] = entities // at least one client sees by it
			for e := range entities {
				g.seen[pairing{client.ID, e}] = true
			}
		}
	}
}

func (g *plainGrid) sees(v, other placed) bool {
	dx, dy := other.x-v.x, other.y-v.y
	d, stay := float32(dx*dx)+float32(dy*dy), v.radius*g.stay
	return v.radius > 0 && (d <= v.radius*v.radius || d <= stay*stay && g.was[v.viewpoint][other.entity])
}

// viewers returns the viewers of rooms and clients.
func (g *plainGrid) viewers() (all []placed) {
	viewer, control := ecs.ComponentID[components.Viewer](g.world), ecs.ComponentID[components.ControlledBy](g.world)
	for q := g.world.Query(ecs.All(g.place, viewer)); q.Next(); {
		v, s := (*components.Viewer)(q.Get(viewer)), placed{radius: g.radius}
		if v.Radius != 0 {
			s.radius = v.Radius
		}
		if s.viewpoint.room = v.Room; v.Room == 0 && q.Has(control) {
			s.viewpoint.client = (*components.ControlledBy)(q.Get(control)).Client
		}
		s.x, s.y = g.position(&q)
		if s.viewpoint != (viewpoint{}) {
			all = append(all, s)
		}
	}
	return all
}

// entities returns the entities with relevance decided by interest.
func (g *plainGrid) entities() (all []placed) {
	marker := ecs.ComponentID[components.Replicate](g.world)
	for q := g.world.Query(ecs.All(g.place, marker)); q.Next(); {
		s := placed{entity: q.Entity()}
		s.x, s.y = g.position(&q)
		if (*components.Replicate)(q.Get(marker)).Relevance != components.Always {
			all = append(all, s)
		}
	}
	return all
}

// forgetClient removes everything that a disconnected client saw.
func (g *plainGrid) forgetClient(client entangle.ClientID) {
	delete(g.was, viewpoint{client: client})
	for pair := range g.seen {
		if pair.client == client {
			delete(g.seen, pair)
		}
	}
}
