package sink

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/require"
)

// Whatever happens to entities and their inputs, a copy has an input where its server has one. Its
// value is the last one that the client wrote since the input was added, or zero.
func TestInputsOfCopiesAreTheClientsOwn(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			defer func() {
				if t.Failed() {
					t.Logf("repeat with: go test ./systems -run 'TestInputsOfCopiesAreTheClientsOwn/seed=%d$'", seed)
				}
			}()
			g := newSteeredGame(t)
			g.rng = rand.New(rand.NewPCG(seed, 31))
			wrote := [2]map[ecs.Entity]int32{{}, {}}
			for range 150 {
				for range g.rng.IntN(4) {
					g.disturb()
				}
				g.send()
				for i, c := range g.copies {
					wrote[i] = c.requireOwn(t, wrote[i], g.rng)
				}
				m, err := g.collector.Mirror(nil)
				require.NoError(t, err)
				require.Equal(t, inputsOf(m), inputsOf(g.copies[0].applier.Mirror(nil)))
			}
			g.took()
		})
	}
}

// disturb makes a random change in the sender's world.
func (g *steeredGame) disturb() {
	if len(g.entities) == 0 || g.rng.IntN(8) == 0 {
		g.entities = append(g.entities, g.world.NewEntity(g.marker, g.hull, g.steering))
		return
	}
	at := g.rng.IntN(len(g.entities))
	e := g.entities[at]
	switch g.rng.IntN(6) {
	case 0:
		g.world.RemoveEntity(e)
		g.entities = append(g.entities[:at], g.entities[at+1:]...)
	case 1:
		(*components.Replicate)(g.world.Get(e, g.marker)).Group = components.Group(g.rng.IntN(3))
	case 2:
		(*hull)(g.world.Get(e, g.hull)).X++
	case 3: // off and on within a tick, which is never sent
		if g.world.Has(e, g.steering) {
			g.world.Remove(e, g.steering)
			g.world.Add(e, g.steering)
			g.steer(e, 77)
		}
	default:
		if g.world.Has(e, g.steering) {
			g.world.Remove(e, g.steering)
		} else {
			g.world.Add(e, g.steering)
			g.steer(e, 78)
		}
	}
}

// requireOwn compares a copy's inputs with the values written to them, and writes new ones.
func (c *copyOf) requireOwn(t *testing.T, wrote map[ecs.Entity]int32, rng *rand.Rand) map[ecs.Entity]int32 {
	t.Helper()
	next := map[ecs.Entity]int32{}
	for slot := range c.applier.Replicas.entities {
		e := c.applier.Replicas.entities[slot].entity
		if !c.applier.Replicas.entities[slot].used {
			continue
		}
		if input := c.far(slot); input != nil {
			require.Equal(t, steering{Turn: wrote[e]}, *input, "what it is where it was not before is zero")
			input.Turn = rng.Int32N(3)
			next[e] = input.Turn
		}
	}
	return next
}

// inputsOf counts the entities, and those with an input.
func inputsOf(m *inspect.Mirror) (counts [2]int) {
	counts[0] = len(m.Entities)
	for _, e := range m.Entities {
		for _, v := range e.Values {
			if v.Component == 2 {
				counts[1]++
			}
		}
	}
	return counts
}
