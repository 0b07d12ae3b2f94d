package source

import (
	"log/slog"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/interest"
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/require"
)

// pose is the position and rotation of an entity.
type pose struct{ X, Y, Z, A, B, C, D float32 }

// BenchmarkGrid measures a pass over 10,000 moving entities and 200 clients with a viewer each,
// which see about 150 of them.
func BenchmarkGrid(b *testing.B) {
	const n, clients, edge = 10_000, 200, 1000
	radius := float32(edge * math.Sqrt(150/(math.Pi*n)))
	w := ecs.NewWorld()
	time := &components.Time{}
	ecs.AddResource(&w, time)
	collector, err := NewCollector(&w, nil, slog.New(slog.DiscardHandler))
	require.NoError(b, err)
	cells := interest.GridConfig{Cell: radius / 3, Hysteresis: 0.1}
	g := NewGrid(collector, GridConfig{Radius: radius, Every: 1, Cells: cells},
		func(p *pose) (x, y float32) { return p.X, p.Y })
	rng := rand.New(rand.NewPCG(1, 2))
	place := func() *pose { return &pose{X: edge * rng.Float32(), Y: edge * rng.Float32()} }
	entities := generic.NewMap2[pose, components.Replicate](&w)
	for range n {
		entities.NewWith(place(), &components.Replicate{Relevance: components.ByInterest})
	}
	viewers := generic.NewMap3[pose, components.Viewer, components.ControlledBy](&w)
	for client := range entangle.ClientID(clients) {
		collector.Interest().Join(client + 1)
		viewers.NewWith(place(), &components.Viewer{}, &components.ControlledBy{Client: client + 1})
	}
	relevance := collector.Interest().Relevance()
	filter := generic.NewFilter1[pose]()
	changes := 0
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		for q := filter.Query(&w); q.Next(); {
			p := q.Get()
			p.X += rng.Float32() - 0.5
			p.Y += rng.Float32() - 0.5
		}
		b.StartTimer()
		time.Tick++
		g.Update()
		for row := range clients {
			changed := relevance.Changed(row)
			for e := changed.Next(0); e >= 0; e = changed.Next(e + 1) {
				changes++
			}
		}
		relevance.ClearChanges()
	}
	b.ReportMetric(float64(changes)/float64(b.N), "changes/op")
}
