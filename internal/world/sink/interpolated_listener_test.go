package sink

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/world/tick"
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/ecs/event"
	"github.com/mlange-42/arche/listener"
	"github.com/stretchr/testify/require"
)

// A game may remove entities and components in its listeners, while changes of interpolated entities are shown, and
// between frames. Nothing is left of them at the end.
func TestAGameRemovesInterpolatedEntitiesInListeners(t *testing.T) {
	for seed := range uint64(30) {
		for _, predict := range []bool{false, true} {
			t.Run(fmt.Sprint(seed, predict), func(t *testing.T) {
				g := &pastGame{past: newPast(t), rng: rand.New(rand.NewPCG(seed, 11)), server: map[repl.Handle]pastModel{}}
				if predict {
					g.predict()
				}
				g.delay = func(every int) int32 { return 3 + int32(min(every, 20)) }
				ids := []ecs.ID{}
				for _, info := range g.infos {
					ids = append(ids, ecs.TypeID(g.world, info.Type))
				}
				depth := 0
				act := func(e ecs.Entity) {
					if depth > 2 || !g.world.Alive(e) || g.world.IsLocked() {
						return
					}
					depth++
					defer func() { depth-- }()
					switch id := ids[g.rng.IntN(len(ids))]; {
					case g.rng.IntN(3) == 0:
						g.world.RemoveEntity(e)
					case g.world.Has(e, id):
						g.world.Remove(e, id)
					case g.rng.IntN(10) == 0 && !g.world.Has(e, ecs.ComponentID[components.Persistent](g.world)):
						g.world.Add(e, ecs.ComponentID[components.Persistent](g.world))
					}
				}
				some := func() ecs.Entity {
					if g.rng.IntN(2) == 0 || len(g.applier.Replicas.entities) == 0 {
						return ecs.Entity{}
					}
					return g.applier.Replicas.entities[g.rng.IntN(len(g.applier.Replicas.entities))].entity
				}
				rare := 15
				mine := listener.NewCallback(func(_ *ecs.World, e ecs.EntityEvent) {
					switch g.rng.IntN(rare) {
					case 0:
						act(e.Entity)
					case 1:
						act(some())
					}
				}, event.All)
				require.NoError(t, tick.ShareListener(g.world, &mine))
				for range 120 {
					g.step()
					if g.rng.IntN(3) > 0 {
						g.applier.Interpolate()
					}
					if g.rng.IntN(5) == 0 {
						act(some())
					}
				}
				if g.rng.IntN(2) == 0 {
					g.frames(600)
					g.rest()
					require.Zero(t, g.applier.interpolation.hidden)
				}
				rare = 1 << 30
				g.applier.Clear()
				require.Zero(t, g.applier.interpolation.hidden)
				require.Zero(t, g.waiting())
				require.Zero(t, g.applier.interpolation.samples.Stats().Slots)
				require.Empty(t, g.applier.interpolation.leaving)
				require.Empty(t, g.applier.relations.holdersOf.Heads)
				for s := range g.applier.Replicas.entities {
					require.False(t, g.applier.Replicas.entities[s].used)
				}
				count := 0
				for q := g.world.Query(ecs.All(g.applier.interpolation.marker)); q.Next(); {
					count++
				}
				require.Zero(t, count)
			})
		}
	}
}
