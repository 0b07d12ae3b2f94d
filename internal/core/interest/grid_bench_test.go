package interest_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/entangle-ecs/entangle/internal/core/interest"
)

// BenchmarkGrid measures a pass over 10,000 moving entities and 200 viewers of a client each, for
// several numbers of entities that each viewer sees and of cells per radius.
func BenchmarkGrid(b *testing.B) {
	for _, seen := range []int{50, 150, 500} {
		for _, cells := range []float32{2, 3, 4, 6, 8} {
			b.Run(fmt.Sprintf("seen=%d/cells=%v", seen, cells), func(b *testing.B) { benchGrid(b, seen, cells) })
		}
	}
}

func benchGrid(b *testing.B, seen int, cells float32) {
	const n, viewers, edge = 10_000, 200, float32(1000)
	rng := rand.New(rand.NewPCG(1, 2))
	radius := edge * sqrt(float32(seen)/n/3.14159)
	r := interest.New()
	g := interest.NewGrid(r, interest.GridConfig{Cell: radius / cells, Hysteresis: 0.1})
	var x, y, vx, vy [n]float32
	for i := range x {
		x[i], y[i] = edge*rng.Float32(), edge*rng.Float32()
		vx[i], vy[i] = rng.Float32()-0.5, rng.Float32()-0.5
	}
	for c := range viewers {
		r.Join(c)
	}
	changes := 0
	b.ReportAllocs()
	for b.Loop() {
		for i := range x {
			x[i] += vx[i]
			y[i] += vy[i]
		}
		g.Begin()
		for i := range x {
			g.Place(i, x[i], y[i])
		}
		for c := range viewers {
			g.AddViewer(c, x[c*50], y[c*50], radius)
		}
		g.Finish()
		for c := range viewers {
			changed := r.Changed(c)
			for e := changed.Next(0); e >= 0; e = changed.Next(e + 1) {
				changes++
			}
		}
		r.ClearChanges()
	}
	b.ReportMetric(float64(changes)/float64(b.N), "changes/op")
}

func sqrt(v float32) float32 {
	x := v
	for range 30 {
		x = (x + v/x) / 2
	}
	return x
}
