package sink

import (
	"fmt"
	"testing"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// runsOfEnds is an Applier that counts the entities that end in runs.
type runsOfEnds struct {
	*Applier
	longest int
}

func (r *runsOfEnds) DespawnRun(slots []repl.Slot, tick entangle.Tick) {
	r.longest = max(r.longest, len(slots))
	r.Applier.DespawnRun(slots, tick)
}

// Ends in one call have the same result as one by one: entities, references and events, while the game
// changes replicas and hidden entities return.
func TestEndsInOneCallAreEndsOneByOne(t *testing.T) {
	longest, waited := 0, false
	for seed := range uint64(20) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			g := newRunGame(t, seed)
			sink := &runsOfEnds{Applier: g.copies[0].applier}
			g.copies[0].receive(sink, 3)
			hidden := map[ecs.Entity]bool{}
			marker, place, name := ecs.ComponentID[components.Replicate](g.world), ecs.ComponentID[copiedPlace](g.world), ecs.ComponentID[copiedName](g.world)
			for range 60 {
				g.change()
				if g.tick > 5 && g.rng.IntN(3) == 0 {
					g.meddle()
				}
				from := g.rng.IntN(len(g.entities))
				to, remove := min(len(g.entities), from+g.rng.IntN(60)), g.rng.IntN(3) == 0
				for i := from; i < to; i++ {
					e := g.entities[i]
					slot, known := g.collector.Slot(e)
					switch {
					case !known || i < 10 && seed%2 == 0:
					case hidden[e]:
						g.peer.Show(slot)
						delete(hidden, e)
					case remove:
						g.world.RemoveEntity(e)
						g.entities[i] = g.world.NewEntity(marker, place, name)
					default:
						g.peer.Hide(slot)
						hidden[e] = true
					}
				}
				g.send()
				g.requireSame()
				waiting, _ := g.copies[0].applier.LateReferences()
				other, _ := g.copies[1].applier.LateReferences()
				require.Equal(t, other, waiting)
				waited = waited || waiting > 0
			}
			longest = max(longest, sink.longest)
		})
	}
	assert.Greater(t, longest, 10)
	assert.True(t, waited, "references wait for a hidden entity")
}
