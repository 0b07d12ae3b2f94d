package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTheGridByHandFindsWhatADistanceSays: the limit of the case interest sees what
// comparing all pairs does, with the memory of what was seen before, and says what changed.
func TestTheGridByHandFindsWhatADistanceSays(t *testing.T) {
	const entities = 2000
	w := newWalkers(entities, 100)
	x, y := walkCorner(0)
	viewers := []int32{0, 7, 500, 1999}
	g := newHandGrid(handArea{x, y, walkTile}, entities, len(viewers), 29, 32)
	seen := make([]map[int]bool, len(viewers))
	for round := range 60 {
		for i := range entities {
			for step := range 30 {
				w.at(i, 30*round+step)
			}
		}
		g.update(w.poses, viewers)
		for v, viewer := range viewers {
			now := map[int]bool{}
			at := w.poses[viewer].Pos
			for i := range entities {
				dx, dy := w.poses[i].Pos[0]-at[0], w.poses[i].Pos[1]-at[1]
				d := dx*dx + dy*dy
				now[i] = d <= 29*29 || d <= 32*32 && seen[v][i]
				require.Equal(t, now[i], g.seen[v][i/64]>>(i%64)&1 != 0, "round %d: %d sees %d at %v", round, viewer, i, d)
				require.Equal(t, now[i] != seen[v][i], g.changed[v][i/64]>>(i%64)&1 != 0)
			}
			seen[v] = now
		}
	}
}

// TestWalkersStayInTheirSquares: nobody sees from one square into the next, and both sides
// of a case are told of the same steps.
func TestWalkersStayInTheirSquares(t *testing.T) {
	w := newWalkers(10*viewEntities, 10)
	for round := range 40 {
		for i := 0; i < len(w.poses); i += 997 {
			first := *w.at(i, 1+round)
			assert.Equal(t, first, *w.at(i, 1+round))
			x, y := walkCorner(i)
			require.True(t, first.Pos[0] >= x && first.Pos[0] <= x+walkTile && first.Pos[1] >= y && first.Pos[1] <= y+walkTile)
			require.True(t, x >= -512 && x+walkTile < 512 && y+walkTile < 512)
		}
	}
	assert.Greater(t, walkPitch-walkTile, walkSight)
}

func TestAWalkerOfTheCaseSeesAboutFiveHundred(t *testing.T) {
	w := newWalkers(viewEntities, 100)
	x, y := walkCorner(0)
	viewers := make([]int32, viewClients)
	for i := range viewers {
		viewers[i] = int32(i * viewEntities / viewClients)
	}
	g := newHandGrid(handArea{x, y, walkTile}, viewEntities, viewClients, walkSight, 1.1*walkSight)
	for round := range 100 {
		for i := range w.poses {
			w.at(i, 1+round)
		}
		g.update(w.poses, viewers)
	}
	seen, changes := g.counts()
	assert.InDelta(t, 500, seen, 50)
	assert.InDelta(t, 2, changes, 1, "half of them come, half of them go")
}
