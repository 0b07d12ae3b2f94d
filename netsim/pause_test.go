package netsim_test

import (
	"testing"
	"time"

	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/netsim"
)

// An entity that is despawned while it is paused stays on the clients, orphaned. If it resumes
// before it is despawned, in the same tick or earlier, the clients despawn it. If it resumes and is
// paused again before, it stays.
func TestEntitiesRemovedWhilePausedAreOrphaned(t *testing.T) {
	for name, c := range map[string]struct {
		before string // what happens before the despawn: + adds Replicate, - removes it
		stays  bool
	}{
		"paused": {"", true}, "resumed": {"+", false}, "resumed and paused": {"+-", true},
	} {
		t.Run(name, func(t *testing.T) {
			sim := newSim(t, netsim.Config{Seed: 1})
			sim.Watch()
			p := join(t, sim, 1)
			e := spawnSpot(sim, Spot{1, 2})
			other := spawnSpot(sim, Spot{3, 4})
			require.True(t, sim.RunUntil(time.Second, func() bool { return sim.Equal() == nil }))
			copied, _ := p.Local(e)
			tag := generic.NewMap1[components.Replicate](sim.World())
			tag.Remove(e)
			sim.Run(300 * ms)
			for _, sign := range c.before {
				if sign == '+' {
					tag.Add(e)
				} else {
					tag.Remove(e)
				}
			}
			sim.World().RemoveEntity(e)
			sim.Run(time.Second)
			assert.Equal(t, c.stays, p.World().Alive(copied))
			sim.ExpectEqual()
			_, ok := p.Local(other)
			assert.True(t, ok)
		})
	}
}
