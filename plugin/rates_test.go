package plugin_test

import (
	"testing"

	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
)

// SendEvery of an entity's Replicate counts from its spawn, when it is changed, and when
// the Replicate was off and comes back; what appears does not wait.
//
// Proves: R35
func TestSendEveryIsTheIntervalOfAGroup(t *testing.T) {
	g := newGame(t)
	p := g.join(1)
	g.run(60)
	things := generic.NewMap3[spot, name, components.Replicate](g.world)
	e := things.NewWith(&spot{}, &name{1}, &components.Replicate{SendEvery: 20})
	marker := generic.NewMap1[components.Replicate](g.world)
	g.run(3)
	require.Len(t, spots(p.world), 1, "a spawn does not wait")
	expect := func(every int, why string) {
		t.Helper()
		steps, last := 0, spots(p.world)[1]
		for range 100 {
			at[spot](g.world, e).X++
			g.run(1)
			if now := spots(p.world)[1]; now != last {
				steps, last = steps+1, now
			}
		}
		assert.InDelta(t, 100/every, steps, 1, why)
		g.run(every + 2)
		assert.Equal(t, *at[spot](g.world, e), spots(p.world)[1])
	}
	expect(20, "from its spawn")
	at[components.Replicate](g.world, e).SendEvery = 5
	expect(5, "changed")
	marker.Remove(e)
	g.run(10)
	marker.Assign(e, &components.Replicate{SendEvery: 10})
	expect(10, "put on again")
}
