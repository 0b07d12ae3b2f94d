package cases

import (
	"fmt"

	"github.com/entangle-ecs/entangle/benchmarks/limits"
	"github.com/entangle-ecs/entangle/benchmarks/report"
	"github.com/entangle-ecs/entangle/benchmarks/workload"
)

const (
	viewClients = 200
	viewPercent = 10
	viewGrowth  = 10

	quickClients = 20 // in a quick round of tick-views/growth; the other cases always have all clients
	quickGrowth  = 2
)

// gridWarm is the number of ticks after which nearly all clients have used the most handles that
// they ever will: the handle of an entity that became invisible is not reused for 64 ticks, and a
// viewer that walks to a denser place sees more entities.
const gridWarm = 250

// The case tick-views has 10,000 entities of which a tenth moves, and 200 clients with 500 visible
// entities each, no two with the same view. One operation is a server's tick. The limit finds the
// moved entities and encodes each once. For each client it copies the moved entities of its view
// into packets, entity by entity, and seals them. It keeps of which tick each client has each entity, and the entities
// of each packet in flight, because reliable replication needs these (limits/scene_views.go). As on our side, handling
// the acknowledgements is not measured.
//
// tick-views/growth measures the work per client, which is what every client after the first adds
// to the tick, and how it grows if the world has ten times as many entities and the views are
// equal. In place of the limit there is a tick in the smaller world.
//
// tick-views/grid is the same, except that all entities walk, ten times as far in a tenth of the
// ticks, and a grid decides which entities near a client's viewer are visible. The viewer walks,
// too. About 500 entities are visible, of which two change in a tick. The limit has a grid by hand
// (limits/interest.go), and sends the entities that entered and left the view.
func viewVariants() []report.Variant {
	return []report.Variant{
		{Name: "tick-views/own", Goal: 3, Rounds: sceneRounds, Heavy: true, Prepare: viewsPrepare},
		{Name: "tick-views/grid", Goal: 2, Rounds: sceneRounds, Heavy: true, Warm: gridWarm, Prepare: gridPrepare},
		{Name: "tick-views/growth", Goal: 1.2, Unit: "x the smaller world", Rounds: sceneRounds, Heavy: true, Prepare: growthOf(viewScene, viewClients, viewGrowth), Quick: growthOf(viewScene, quickClients, quickGrowth)},
		{Name: "tick-views/grid-growth", Goal: 1.2, Unit: "x the smaller world", Rounds: sceneRounds, Heavy: true, Warm: gridWarm, Prepare: growthOf(gridScene, viewClients, viewGrowth), Quick: growthOf(gridScene, quickClients, quickGrowth)},
	}
}

// viewScene is a world of so many entities, and so many clients with a view each.
func viewScene(entities, clients int) sceneConfig {
	return sceneConfig{
		entities: entities, clients: clients, percent: viewPercent, rtt: sixTicks,
		sees: func(client, entity int) bool {
			return entity < workload.ViewEntities && limits.InView(client, entity, workload.ViewEntities)
		},
	}
}

func viewsPrepare() (report.Sides, error) {
	cfg := viewScene(workload.ViewEntities, viewClients)
	s, l, err := newScenePair(cfg)
	if err != nil {
		return report.Sides{}, err
	}
	l.See()
	return report.Sides{
		Before: func() { s.before(); l.Move(cfg.percent); l.Acknowledge(viewRTT) },
		Ours:   s.runServerTick,
		Limit:  l.SendViews,
		Bytes:  s.size,
		Sizes:  func() map[string]int { return map[string]int{"limit": l.Size()} },
		Verify: func() error { return s.verifyClients(l, cfg.sees) },
	}, nil
}

// gridScene is a world of so many entities, in which clients see those near their viewers.
func gridScene(entities, clients int) sceneConfig {
	return sceneConfig{entities: entities, clients: clients, percent: viewPercent, rtt: sixTicks, grid: true}
}

func gridPrepare() (report.Sides, error) {
	cfg := gridScene(workload.ViewEntities, viewClients)
	s, l, err := newScenePair(cfg)
	if err != nil {
		return report.Sides{}, err
	}
	return report.Sides{
		Before: func() { s.before(); l.Move(cfg.percent); l.Acknowledge(viewRTT) },
		Ours:   s.runServerTick,
		Limit:  l.SendGrid,
		Bytes:  s.size,
		Sizes:  func() map[string]int { return map[string]int{"limit": l.Size()} },
		Verify: func() error { return s.verifyClients(l, l.Grid.Sees) },
	}, nil
}

// growth has the same views in a small and a large world. It has both worlds with one client as
// well, to subtract the part of a tick that the other clients did not cause. Without any client, a
// server would look neither for changes nor, with a grid, for positions.
type growth struct {
	scenes [2]*scene
	limits [2]*limits.SceneLimit
	alone  [2]*scene // with one client
	took   [2][]float64
}

func growthOf(config func(entities, clients int) sceneConfig, clients, times int) func() (report.Sides, error) {
	return func() (report.Sides, error) { return growthPrepare(config, clients, times) }
}

// growthPrepare makes a world for so many clients, and another one with times as many entities.
func growthPrepare(config func(entities, clients int) sceneConfig, clients, times int) (report.Sides, error) {
	g := &growth{}
	for i, entities := range []int{workload.ViewEntities, times * workload.ViewEntities} {
		var err error
		if g.scenes[i], g.limits[i], err = newScenePair(config(entities, clients)); err != nil {
			return report.Sides{}, err
		}
		if g.alone[i], _, err = newScenePair(config(entities, 1)); err != nil {
			return report.Sides{}, err
		}
		g.took[i] = make([]float64, 0, 2*report.Rounds)
	}
	return report.Sides{
		Before: g.before,
		Ours:   func() { g.runWorldTick(1) },
		Limit:  func() { g.runWorldTick(0) },
		Figure: func() float64 { return report.Median(g.took[1]) / report.Median(g.took[0]) },
		Verify: g.verifyScenes,
	}, nil
}

func (g *growth) before() {
	for i, s := range g.scenes {
		s.before()
		g.limits[i].Move(viewPercent)
		g.limits[i].Look()
		g.alone[i].before()
	}
}

// runWorldTick runs a tick of one of the worlds, with all its clients and with one client.
func (g *growth) runWorldTick(i int) {
	g.took[i] = append(g.took[i], report.Clock(g.scenes[i].runServerTick)-report.Clock(g.alone[i].runServerTick))
}

func (g *growth) verifyScenes() error {
	for i, s := range g.scenes {
		sees := s.cfg.sees
		if s.cfg.grid {
			sees = g.limits[i].Grid.Sees
		}
		if err := s.verifyClients(g.limits[i], sees); err != nil {
			return fmt.Errorf("%d entities: %w", s.cfg.entities, err)
		}
	}
	return nil
}
