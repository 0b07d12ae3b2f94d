package plugin_test

import (
	"testing"

	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Changes are not tracked while no client is connected. A client that connects still gets them,
// whether it is the first one or connects after all others have left.
func TestWhoComesGetsWhatChangedWhileNobodyWasThere(t *testing.T) {
	g := newGame(t)
	e := g.spawn(spot{}, name{ID: 1})
	place := generic.NewMap1[spot](g.world)
	x := float32(0)
	move := func() {
		x++
		place.Get(e).X = x
		g.run(1)
	}
	for range 3 {
		for range 10 {
			move()
		}
		p := g.join(7)
		g.run(60)
		require.True(t, p.Joined())
		require.Equal(t, x, spots(p.world)[1].X)
		for range 10 {
			move()
		}
		g.run(60)
		assert.Equal(t, x, spots(p.world)[1].X)
		p.Disconnect()
		g.run(60)
		g.clients = nil
	}
}
