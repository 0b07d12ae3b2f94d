package netsim_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/plugin"
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

// An entity that moves, is paused and is removed stays on a client that saw it when it was paused, and
// no other. That holds even if the client was not sent the move before the removal, because one of the
// two groups already has as many changes of structure in flight as a group may have.
//
// Proves: R12
func TestEntitiesOrphanedAfterAMoveStayWhereTheyWereVisible(t *testing.T) {
	for name, c := range map[string]struct {
		to    components.Replicate // of the entity that moves
		hide  bool                 // hides its former group in the same tick
		stays bool
	}{
		"to a visible group":               {components.Replicate{Group: 1}, false, true},
		"from a hidden to a visible group": {components.Replicate{Group: 1}, true, true},
		"to a hidden group":                {components.Replicate{Group: 3, Relevance: components.ByInterest}, false, false},
		"from a hidden to a hidden group":  {components.Replicate{Group: 3, Relevance: components.ByInterest}, true, false},
	} {
		for _, busy := range []components.Group{0, 1, 2} {
			t.Run(fmt.Sprintf("%s, group %d is busy", name, busy), func(t *testing.T) {
				sim := newSim(t, netsim.Config{Seed: 1, Link: latency(600 * ms)})
				w := sim.World()
				m, rooms := generic.NewMap2[Spot, components.Replicate](w), plugin.NewRooms(w)
				m.NewWith(&Spot{X: 3}, &components.Replicate{Group: 3, Relevance: components.ByInterest}) // in no room
				mates := map[components.Group]ecs.Entity{
					1: m.NewWith(&Spot{X: 1}, &components.Replicate{Group: 1}),
					2: m.NewWith(&Spot{X: 2}, &components.Replicate{Group: 2, Relevance: components.ByInterest}),
				}
				mover := m.NewWith(&Spot{X: 9}, &components.Replicate{Group: 2, Relevance: components.ByInterest})
				rooms.AddEntity(1, mates[2])
				p := join(t, sim, 1)
				require.True(t, sim.RunUntil(5*time.Second, p.Connected))
				rooms.AddClient(1, 1)
				sim.Run(5 * time.Second)
				replica, ok := p.Local(mover)
				require.True(t, ok)

				flags, marker := generic.NewMap1[Flag](w), generic.NewMap1[components.Replicate](w)
				frame := func(ticks int) {
					for range ticks {
						if mate, is := mates[busy]; is && w.Has(mate, ecs.ComponentID[Flag](w)) {
							flags.Remove(mate)
						} else if is {
							flags.Add(mate)
						}
						sim.Run(20 * ms)
					}
				}
				frame(100)
				*marker.Get(mover) = c.to
				if c.hide {
					rooms.RemoveEntity(1, mates[2])
				}
				frame(2)
				marker.Remove(mover)
				frame(1)
				w.RemoveEntity(mover)
				frame(10)
				sim.Run(5 * time.Second)
				assert.Equal(t, c.stays, p.World().Alive(replica))
				sim.ExpectEqual()
			})
		}
	}
}
