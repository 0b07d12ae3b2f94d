package message

import (
	"reflect"
	"testing"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/protocol/bits"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// newsOf is a prediction that records which resources have new confirmed values.
type newsOf []int

func (n *newsOf) Resource(number int) { *n = append(*n, number) }

func (g *gallery) swells() int { return int(g.number(reflect.TypeFor[swell]())) }

// The first value of a resource that rolls back is written into the world at once. Later values are
// kept outside of it, with their tick, and the resource is removed when the server removes it.
//
// Proves: B15
func TestWhatTheServerSaysOfAResourceThatRollsBack(t *testing.T) {
	g := newGallery(t)
	var news newsOf
	g.copy.PredictBy(&news)
	n := g.swells()
	_, _, ok := g.copy.Confirmed(n)
	assert.False(t, ok)
	share(g, &tide{Height: 3})
	now := share(g, &swell{Height: 1})
	g.run(3)
	require.Equal(t, swell{Height: 1}, *shownOf[swell](g))
	shownOf[swell](g).Height = 50
	news = nil
	for h := range int32(5) {
		now.Height = 10 + h
		g.run(1)
		changed := g.tick
		g.run(4)
		value, tick, ok := g.copy.Confirmed(n)
		require.True(t, ok)
		assert.Equal(t, swell{Height: 10 + h}, columns.ValueOf[swell](value))
		assert.Equal(t, changed, tick)
		assert.Equal(t, swell{Height: 50}, *shownOf[swell](g), "the prediction's to restore")
	}
	assert.Equal(t, newsOf{n, n, n, n, n}, news)
	assert.Equal(t, g.resources.Mirror()[n].Wire, g.copy.Mirror()[n].Wire)

	g.world.Resources().Remove(ecs.ResourceID[swell](g.world))
	g.run(1)
	gone := g.tick
	g.run(4)
	assert.Nil(t, shownOf[swell](g))
	_, tick, ok := g.copy.Confirmed(n)
	assert.False(t, ok)
	assert.Equal(t, gone, tick)
	assert.Len(t, news, 6)
}

// A value that is resent because it was lost, or sent to a later client, carries the tick at which
// it was last observed.
func TestTheTickOfAResourceThatComesLate(t *testing.T) {
	g := newGallery(t)
	now := share(g, &swell{Height: 1})
	g.run(20)
	_, first, _ := g.copy.Confirmed(g.swells())
	g.loss = 1
	now.Height = 2
	g.run(1)
	changed := g.tick
	now.Height = 3
	g.run(10)
	g.loss = 0
	g.run(60)
	value, tick, ok := g.copy.Confirmed(g.swells())
	require.True(t, ok)
	assert.Equal(t, int32(3), columns.ValueOf[swell](value).Height)
	assert.True(t, changed.Before(tick))
	assert.True(t, first.Before(changed))
	assert.Equal(t, swell{Height: 3}, *shownOf[swell](g), "nobody predicts")
}

// A reference in the value of a predicted resource is set when the entity arrives, which is a new
// confirmed value of the same tick. When the entity despawns the reference becomes zero, which is a new
// confirmed value of the tick of the despawn.
func TestAnEntityInAResourceThatRollsBack(t *testing.T) {
	g := newGallery(t)
	var news newsOf
	g.copy.PredictBy(&news)
	known := map[repl.ID]repl.Slot{}
	var w bits.Writer
	w.Uvarint(uint64(g.swells()))
	w.Bool(true)
	w.Bits(77, 32)
	w.Uvarint(1)
	w.Bool(true)
	repl.AppendRef(&w, repl.Ref{ID: repl.ID{Group: 1}})
	w.Bits((10-4)<<2|1, 10) // 5 has the second number 10
	w.Uvarint(1)
	body := w.Finish()
	require.NoError(t, g.get(body))
	value, tick, ok := g.copy.Confirmed(g.swells())
	require.True(t, ok)
	assert.Equal(t, entangle.Tick(77), tick)
	assert.Equal(t, swell{Height: 5}, columns.ValueOf[swell](value))
	assert.Len(t, news, 1)
	g.come(known, 1)
	require.NoError(t, g.mail.Advance(g.now))
	value, tick, _ = g.copy.Confirmed(g.swells())
	assert.Equal(t, entangle.Tick(77), tick)
	assert.False(t, columns.ValueOf[swell](value).Of.IsZero())
	assert.Len(t, news, 2)
	g.copy.applier.Begin(90, 90)
	g.copy.applier.Forget(known[repl.ID{Group: 1}])
	require.NoError(t, g.mail.Advance(g.now))
	value, tick, _ = g.copy.Confirmed(g.swells())
	assert.Equal(t, entangle.Tick(90), tick)
	assert.Equal(t, swell{Height: 5}, columns.ValueOf[swell](value))
	assert.Len(t, news, 3)
	for cut := range len(body) {
		require.Error(t, g.get(body[:cut]))
	}
}
