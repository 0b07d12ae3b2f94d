package cases

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/benchmarks/limits"
	"github.com/entangle-ecs/entangle/benchmarks/workload"
)

// TestTheGridByHandFindsWhatADistanceSays checks that the limit of the case interest finds the same
// views and changes as a comparison of all pairs that remembers the previous views.
func TestTheGridByHandFindsWhatADistanceSays(t *testing.T) {
	const entities = 2000
	w := workload.NewWalkers(entities, 100)
	x, y := workload.WalkCorner(0)
	viewers := []int32{0, 7, 500, 1999}
	g := limits.NewHandGrid(limits.HandArea{X: x, Y: y, Side: workload.WalkTile}, entities, len(viewers), 29, 32)
	seen := make([]map[int]bool, len(viewers))
	for round := range 60 {
		for i := range entities {
			for step := range 30 {
				w.At(i, 30*round+step)
			}
		}
		g.Update(w.Poses, viewers)
		for v, viewer := range viewers {
			now := map[int]bool{}
			at := w.Poses[viewer].Pos
			for i := range entities {
				dx, dy := w.Poses[i].Pos[0]-at[0], w.Poses[i].Pos[1]-at[1]
				d := dx*dx + dy*dy
				now[i] = d <= 29*29 || d <= 32*32 && seen[v][i]
				require.Equal(t, now[i], g.Seen[v][i/64]>>(i%64)&1 != 0, "round %d: %d sees %d at %v", round, viewer, i, d)
				require.Equal(t, now[i] != seen[v][i], g.Changed[v][i/64]>>(i%64)&1 != 0)
			}
			seen[v] = now
		}
	}
}

// TestWalkersStayInTheirSquares checks that no viewer sees an entity of another square, and that
// both sides of a case get the same steps.
func TestWalkersStayInTheirSquares(t *testing.T) {
	w := workload.NewWalkers(10*workload.ViewEntities, 10)
	for round := range 40 {
		for i := 0; i < len(w.Poses); i += 997 {
			first := *w.At(i, 1+round)
			assert.Equal(t, first, *w.At(i, 1+round))
			x, y := workload.WalkCorner(i)
			require.True(t, first.Pos[0] >= x && first.Pos[0] <= x+workload.WalkTile && first.Pos[1] >= y && first.Pos[1] <= y+workload.WalkTile)
			require.True(t, x >= -512 && x+workload.WalkTile < 512 && y+workload.WalkTile < 512)
		}
	}
	assert.Greater(t, workload.WalkPitch-workload.WalkTile, workload.WalkSight)
}

func TestAWalkerOfTheCaseSeesAboutFiveHundred(t *testing.T) {
	w := workload.NewWalkers(workload.ViewEntities, 100)
	x, y := workload.WalkCorner(0)
	viewers := make([]int32, viewClients)
	for i := range viewers {
		viewers[i] = int32(i * workload.ViewEntities / viewClients)
	}
	g := limits.NewHandGrid(limits.HandArea{X: x, Y: y, Side: workload.WalkTile}, workload.ViewEntities, viewClients, workload.WalkSight, 1.1*workload.WalkSight)
	for round := range 100 {
		for i := range w.Poses {
			w.At(i, 1+round)
		}
		g.Update(w.Poses, viewers)
	}
	seen, changes := g.Counts()
	assert.InDelta(t, 500, seen, 50)
	assert.InDelta(t, 2, changes, 1, "half of them come, half of them go")
}
