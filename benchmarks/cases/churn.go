package cases

import (
	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/benchmarks/limits"
	"github.com/entangle-ecs/entangle/benchmarks/report"
	"github.com/entangle-ecs/entangle/benchmarks/workload"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/interest"
)

// The case churn has the world and the clients of tick-views/own, but the game decides by interest
// which entities a client sees, and in each tick ten of the 500 in each view leave it and ten others
// enter. In churn/still no entity moves; in churn/moving a tenth does. One operation is a server's tick
// from Observe to sealed packets. The limit is that of tick-views/grid, without the grid: for each
// client it copies the entities that moved or entered, lists those that left, and seals
// (limits/scene_slides.go). It has them ready as bits, and sends an entity that enters like one that moved; so
// churn/still has the larger goal.
func churnVariants() []report.Variant {
	variant := func(name string, percent int, goal float64) report.Variant {
		sides := func(entities, clients int) func() (report.Sides, error) {
			cfg := sceneConfig{entities: entities, clients: clients, percent: percent, rtt: sixTicks, chosen: true}
			return func() (report.Sides, error) { return churnPrepare(cfg) }
		}
		return report.Variant{
			Name: name, Goal: goal, Rounds: sceneRounds, Warm: gridWarm, Heavy: true,
			Prepare: sides(workload.ViewEntities, viewClients), Quick: sides(workload.ViewEntities/10, 2),
		}
	}
	return []report.Variant{variant("churn/still", 0, 6), variant("churn/moving", viewPercent, 3)}
}

// slideScene is a scene with views that slide.
type slideScene struct {
	*scene
	limit *limits.SlideLimit
}

func churnPrepare(cfg sceneConfig) (report.Sides, error) {
	s, l, err := newScenePair(cfg)
	if err != nil {
		return report.Sides{}, err
	}
	c := &slideScene{scene: s, limit: limits.NewSlideLimit(l)}
	for client := range s.clients {
		for i := range limits.ViewSize {
			c.set(client, c.limit.First(client)+i, interest.Shown)
		}
	}
	for range sceneSettle {
		if s.still(); s.err != nil || s.settled() {
			break
		}
	}
	l.Round = s.round // both sides choose the same entities from now on
	return report.Sides{
		Before: c.beginTick,
		Ours:   s.runServerTick,
		Limit:  c.limit.Send,
		Bytes:  s.size,
		Sizes:  func() map[string]int { return map[string]int{"limit": l.Size()} },
		Verify: func() error { return s.verifyClients(l, c.limit.Sees) },
	}, s.err
}

// beginTick begins a tick, and has the views slide.
func (c *slideScene) beginTick() {
	c.before()
	c.limit.Move(c.cfg.percent)
	c.limit.Acknowledge(viewRTT)
	for client := range c.clients {
		first := c.limit.First(client)
		for i := range limits.SlideStep {
			c.set(client, first+i, interest.Unset)
			c.set(client, first+limits.ViewSize+i, interest.Shown)
		}
	}
	c.limit.Slide()
}

// set decides whether a client sees an entity, as plugin.Relevance does.
func (c *slideScene) set(client, entity int, setting interest.Setting) {
	i := c.collector.Interest()
	if row, ok := i.Row(workload.ClientID(client)); ok {
		i.Relevance().Set(row, i.Number(c.entities[entity%len(c.entities)]), setting)
	}
}

// hideEntities leaves all entities to the choice of the game.
func (s *scene) hideEntities() {
	marker := ecs.ComponentID[components.Replicate](s.world)
	for _, e := range s.entities {
		(*components.Replicate)(s.world.Get(e, marker)).Relevance = components.ByInterest
	}
}
