package plugin_test

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/ecs/event"
	"github.com/mlange-42/arche/listener"
	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle/components"
)

// Many entities appear on a client at once, and a listener of its world removes some of them as they
// are created, and creates others, which get the ids of the removed ones. The others stay equal to the
// server's, removed ones do not return, and what the listener created is left alone.
//
// Proves: R1
func TestAListenerMayRemoveEntitiesThatAppearTogether(t *testing.T) {
	for _, many := range []int{9, 99} { // few are created one by one, many as a batch
		g := newGame(t)
		p := g.join(1)
		g.run(60)
		mine, created := ecs.ComponentID[flag](p.world), 0
		remote := ecs.ComponentID[components.Remote](p.world)
		notice := listener.NewCallback(func(w *ecs.World, e ecs.EntityEvent) {
			if !w.Alive(e.Entity) || !w.Has(e.Entity, remote) {
				return
			}
			if created++; created%3 == 0 {
				w.RemoveEntity(e.Entity)
				w.NewEntity(mine)
			}
		}, event.EntityCreated)
		ecs.GetResource[listener.Dispatch](p.world).AddListener(&notice)
		var all []ecs.Entity
		for i := range many {
			all = append(all, g.spawn(spot{}, name{uint32(i) + 1}))
		}
		g.run(60)
		removed := created / 3 // the first entity of a message is created without its components, and does not count
		assert.Greater(t, created, many*9/10-1)
		before := p.copies()
		assert.Len(t, before, many-removed)
		for i, e := range all {
			at[spot](g.world, e).X = float32(i) + 1
		}
		g.run(60)
		assert.Equal(t, before, p.copies())
		for id, e := range before {
			assert.Equal(t, float32(id), at[spot](p.world, e).X)
		}
		for _, e := range all {
			g.world.RemoveEntity(e)
		}
		g.run(60)
		assert.Empty(t, p.copies())
		own := 0
		for q := p.world.Query(ecs.All(mine)); q.Next(); {
			own++
		}
		assert.Equal(t, removed, own)
		assert.NoError(t, p.Client.Err())
	}
}
