package interest_test

import (
	"testing"

	"github.com/entangle-ecs/entangle/internal/core/interest"
)

// BenchmarkEnd removes 100 of 10,000 entities, some of which each of 200 clients sees, and measures
// the pass after that.
func BenchmarkEnd(b *testing.B) {
	r := interest.New()
	g := interest.NewGrid(r, interest.GridConfig{Cell: 5})
	for client := range 200 {
		r.Join(client)
	}
	pass := func() {
		g.Begin()
		for e := range 10_000 {
			g.Place(e, float32(e%100), float32(e/100))
		}
		for client := range 200 {
			g.AddViewer(client, float32(client/2), 50, 7)
		}
		g.Finish()
		r.ClearChanges()
	}
	pass()
	n := 0
	for b.Loop() {
		for range 100 {
			n = (n + 7919) % 10_000
			r.End(n)
		}
		b.StopTimer()
		pass()
		b.StartTimer()
	}
}
