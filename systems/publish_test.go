package systems

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
)

// What is paused before its peers have heard that it changed groups comes there as it
// was when it was paused, whatever is written to it since.
//
// Proves: R41
func TestWhatIsPausedOnTheMoveComesAsItWas(t *testing.T) {
	g := newAwaitGame(t)
	replicate := func(group components.Group) components.Replicate { return components.Replicate{Group: group} }
	a, b := g.holder(g.stranger()), g.holder(g.stranger())
	text := func(v byte) { (*copiedName)(g.world.Get(a, g.name)).Text[0] = v }
	*(*components.Replicate)(g.world.Get(b, g.marker)) = replicate(2)
	text(1)
	g.send()

	*(*components.Replicate)(g.world.Get(a, g.marker)) = replicate(2)
	text(2)
	g.tick++
	require.NoError(t, g.publisher.Observe(g.tick)) // nothing is sent in this tick
	g.world.Remove(a, g.marker)
	text(3)
	g.send()
	c := g.copies[0]
	require.Equal(t, 2, c.copy.Len())
	assert.Len(t, c.receiver.Groups(nil), 1)
	assert.Equal(t, []byte{2, 0}, g.texts())
	g.requireSame()
}

// texts are the first letters that a copy's entities show, in the order of their
// coming.
func (g *awaitGame) texts() (all []byte) {
	c := g.copies[0]
	name := ecs.ComponentID[copiedName](c.world)
	for _, e := range c.copy.entities {
		all = append(all, (*copiedName)(c.world.Get(e.entity, name)).Text[0])
	}
	return all
}
