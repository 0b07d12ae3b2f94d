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
		{"in a ring", func(e, _ int) group.Place { return place(e / 2) }, func(e, n int) group.Place { return place((e + 1) / 2 % (n / 2)) }},
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

// BenchmarkMovesBesideAHeldAck measures a tick in which 100 entities leave a group or return to it, for ten peers. One of
// them does not acknowledge its first message, so that nothing that left since can be forgotten.
func BenchmarkMovesBesideAHeldAck(b *testing.B) {
	for _, held := range []int{0, 3000, 12000} {
		b.Run(fmt.Sprint(held), func(b *testing.B) {
			const entities, moves, peers = 1000, 100, 10
			w, tick, name := NewWorld(nil, 1), entangle.Tick(1), uint16(0)
			for range peers {
				w.NewPeer()
			}
			var buf []byte
			step := func(change func()) {
				tick++
				w.Begin(tick)
				change()
				w.Commit()
				for k, p := range w.peers {
					for buf = p.AppendActions(buf[:0], 1100); len(buf) > 0; buf = p.AppendActions(buf[:0], 1100) {
						name++
						if p.ActionsSent(name); k > 0 || tick > 2 || held == 0 {
							p.HandleDelivered(name)
						}
					}
				}
			}
			step(func() {
				for s := range repl.Slot(entities) {
					w.SpawnAt(s, set.Mask{}, group.Place{Name: 1})
				}
			})
			i := 0
			move := func() {
				for k := range moves {
					to := group.Place{Name: 1}
					if i%2 == 0 {
						to = group.Place{Name: 2 + uint32(k)}
					}
					w.Move(repl.Slot((i/2*moves+k)%entities), to)
				}
				i++
			}
			for w.peers[0].Tombstones() < held {
				step(move)
			}
			for b.Loop() {
				step(move)
			}
		})
	}
}

// BenchmarkAUnitBesideAnAction measures a tick in which many entities leave a group, so that they are one unit, and the
// action of another group begins the first message.
func BenchmarkAUnitBesideAnAction(b *testing.B) {
	const n = 1000
	w, tick, name := NewWorld(nil, 1), entangle.Tick(1), uint16(0)
	p := w.NewPeer()
	var buf []byte
	step := func(change func()) {
		tick++
		w.Begin(tick)
		change()
		w.Commit()
		for buf = p.AppendActions(buf[:0], 1100); len(buf) > 0; buf = p.AppendActions(buf[:0], 1100) {
			p.ActionsSent(name)
			p.HandleDelivered(name)
			name++
		}
	}
	move := func(to group.Place) func() {
		return func() {
			w.Despawn(0)
			w.Despawn(1)
			w.SpawnAt(0, set.Mask{}, group.Place{Name: 3})
			w.SpawnAt(1, set.Mask{}, group.Place{Name: 3})
			for e := range repl.Slot(n) {
				w.Move(2+e, to)
			}
		}
	}
	step(func() {
		w.SpawnAt(0, set.Mask{}, group.Place{Name: 3})
		w.SpawnAt(1, set.Mask{}, group.Place{Name: 3})
		for e := range repl.Slot(n) {
			w.SpawnAt(2+e, set.Mask{}, group.Place{Name: 1})
		}
	})
	for b.Loop() {
		step(move(group.Place{}))
		step(move(group.Place{Name: 1}))
	}
}
