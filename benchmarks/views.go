package main

import "fmt"

// tick-views: 10,000 entities of which a tenth moves, and 200 clients that see 500
// each, no two the same. One operation is a server's tick. Limit: find what moved,
// encode each once, and for each client copy what moved of its view into packets,
// entity by entity, and seal them (scene_limit_views.go).
//
// tick-views/growth is about the work for each client, which is all that those behind the
// first add to the tick, and how it grows in a world of ten times as many entities and
// equal views. In the place of the limit stands a tick with the smaller world.
const (
	viewEntities = 10_000
	viewClients  = 200
	viewPercent  = 10
	viewGrowth   = 10

	quickClients = 20 // of a quick round of the growth of what the other cases run with all
	quickGrowth  = 2
)

// gridWarm is after how many ticks nearly all clients have had as many handles as they ever
// will: the handle of what is out of sight rests for 64 ticks, and who walks to where more
// are sees more.
const gridWarm = 250

// tick-views/grid is the same, but all walk, ten times as far in a tenth of the ticks, and
// what a client sees is what a grid finds near its viewer, which walks, too: about 500 of
// whom two come and go in a tick. The limit has a grid by hand (interest_limit.go), and
// tells of who came and who went.
func viewVariants() []variant {
	return []variant{
		{name: "tick-views/own", goal: 1.5, rounds: sceneRounds, heavy: true, prepare: viewsPrepare},
		{name: "tick-views/grid", goal: 1.5, rounds: sceneRounds, heavy: true, warm: gridWarm, prepare: gridPrepare},
		{name: "tick-views/growth", goal: 1.2, unit: "x the smaller world", rounds: sceneRounds, heavy: true, prepare: growthOf(viewScene, viewClients, viewGrowth), quick: growthOf(viewScene, quickClients, quickGrowth)},
		{name: "tick-views/grid-growth", goal: 1.2, unit: "x the smaller world", rounds: sceneRounds, heavy: true, warm: gridWarm, prepare: growthOf(gridScene, viewClients, viewGrowth), quick: growthOf(gridScene, quickClients, quickGrowth)},
	}
}

// viewScene is a world of that many entities with the views of that many clients.
func viewScene(entities, clients int) sceneConfig {
	return sceneConfig{
		entities: entities, clients: clients, percent: viewPercent, rtt: sixTicks,
		sees: func(client, entity int) bool { return entity < viewEntities && inView(client, entity, viewEntities) },
	}
}

func viewsPrepare() (sides, error) {
	cfg := viewScene(viewEntities, viewClients)
	s, l, err := newScenePair(cfg)
	if err != nil {
		return sides{}, err
	}
	l.see()
	return sides{
		before: func() { s.before(); l.move(cfg.percent) },
		ours:   s.send,
		limit:  l.sendViews,
		bytes:  s.size,
		sizes:  func() map[string]int { return map[string]int{"limit": l.size()} },
		verify: func() error { return s.equal(l, cfg.sees) },
	}, nil
}

// gridScene is a world of that many entities in which clients see what is near.
func gridScene(entities, clients int) sceneConfig {
	return sceneConfig{entities: entities, clients: clients, percent: viewPercent, rtt: sixTicks, grid: true}
}

func gridPrepare() (sides, error) {
	cfg := gridScene(viewEntities, viewClients)
	s, l, err := newScenePair(cfg)
	if err != nil {
		return sides{}, err
	}
	return sides{
		before: func() { s.before(); l.move(cfg.percent) },
		ours:   s.send,
		limit:  l.sendGrid,
		bytes:  s.size,
		sizes:  func() map[string]int { return map[string]int{"limit": l.size()} },
		verify: func() error { return s.equal(l, l.grid.sees) },
	}, nil
}

// growth is the same views in a small and a large world, and both worlds with one client,
// whose ticks are what the others did not cause. Without any, a server doesn't look at what
// changes, nor a grid at where it is.
type growth struct {
	scenes [2]*scene
	limits [2]*sceneLimit
	alone  [2]*scene // with one client
	took   [2][]float64
}

func growthOf(config func(entities, clients int) sceneConfig, clients, times int) func() (sides, error) {
	return func() (sides, error) { return growthPrepare(config, clients, times) }
}

// growthPrepare makes a world, and one of times as many entities, of so many clients.
func growthPrepare(config func(entities, clients int) sceneConfig, clients, times int) (sides, error) {
	g := &growth{}
	for i, entities := range []int{viewEntities, times * viewEntities} {
		var err error
		if g.scenes[i], g.limits[i], err = newScenePair(config(entities, clients)); err != nil {
			return sides{}, err
		}
		if g.alone[i], _, err = newScenePair(config(entities, 1)); err != nil {
			return sides{}, err
		}
		g.took[i] = make([]float64, 0, 2*rounds)
	}
	return sides{
		before: g.before,
		ours:   func() { g.send(1) },
		limit:  func() { g.send(0) },
		figure: func() float64 { return median(g.took[1]) / median(g.took[0]) },
		verify: g.equal,
	}, nil
}

func (g *growth) before() {
	for i, s := range g.scenes {
		s.before()
		g.limits[i].move(viewPercent)
		g.limits[i].look()
		g.alone[i].before()
	}
}

// send runs a tick of one of the worlds, with its clients and with one.
func (g *growth) send(i int) {
	g.took[i] = append(g.took[i], clock(g.scenes[i].send)-clock(g.alone[i].send))
}

func (g *growth) equal() error {
	for i, s := range g.scenes {
		sees := s.cfg.sees
		if s.cfg.grid {
			sees = g.limits[i].grid.sees
		}
		if err := s.equal(g.limits[i], sees); err != nil {
			return fmt.Errorf("%d entities: %w", s.cfg.entities, err)
		}
	}
	return nil
}
