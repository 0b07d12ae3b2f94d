package sender

import (
	"fmt"
	"testing"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/set"
)

// BenchmarkMoves measures the cost per move of a tick in which many entities change their groups,
// for one peer.
func BenchmarkMoves(b *testing.B) {
	place := func(n int) group.Place { return group.Place{Name: uint32(n) + 1} }
	for _, c := range []struct {
		name     string
		from, to func(entity, n int) group.Place
	}{
		{"apart", func(int, int) group.Place { return place(0) }, func(int, int) group.Place { return group.Place{} }},
		{"together", func(int, int) group.Place { return group.Place{} }, func(int, int) group.Place { return place(0) }},
		{"rearranged", func(e, _ int) group.Place { return place(e / 16) }, func(e, n int) group.Place { return place(n + e%(n/16)) }},
	} {
		for _, n := range []int{1000, 8000} {
			b.Run(fmt.Sprint(c.name, " ", n), func(b *testing.B) {
				w, tick := NewWorld(nil, 1), entangle.Tick(1)
				p := w.NewPeer()
				var buf []byte
				name := uint16(0)
				step := func(change func()) {
					tick++
					w.Begin(tick)
					change()
					w.Commit()
					for {
						if buf = p.AppendActions(buf[:0], 1<<30); len(buf) == 0 {
							break
						}
						p.ActionsSent(name)
						p.HandleDelivered(name)
						name++
					}
				}
				move := func(to func(entity, n int) group.Place) {
					for e := range n {
						w.Move(repl.Slot(e), to(e, n))
					}
				}
				step(func() {
					for e := range n {
						w.SpawnAt(repl.Slot(e), set.Mask{}, c.from(e, n))
					}
				})
				rest := func() {
					for range 2 * tidyAfter {
						step(func() {})
					}
				}
				rest()
				sent := p.stats.Actions
				b.ResetTimer()
				for range b.N {
					step(func() { move(c.to) })
					b.StopTimer()
					rest()
					step(func() { move(c.from) })
					rest()
					b.StartTimer()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/move")
				b.ReportMetric(float64(p.stats.Actions-sent)/float64(b.N), "actions/op")
			})
		}
	}
}
