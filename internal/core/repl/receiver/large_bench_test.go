package receiver_test

import (
	"testing"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
)

// newLarge returns a receiver with one group of as many members as there can be.
func newLarge(b *testing.B) *receiver.Receiver {
	r := receiver.New(&nothing{}, comps)
	full := record{kind: repl.Full, group: groupA, tick: 10}
	for n := range repl.Member(repl.MaxMembers) {
		full.joins = append(full.joins, joining{number: n})
	}
	if err := r.HandleActions(message(full)); err != nil {
		b.Fatal(err)
	}
	return r
}

// BenchmarkLargeGroup is a change of one member of a group, of which a packet of a hostile server has more
// than a hundred.
func BenchmarkLargeGroup(b *testing.B) {
	for name, change := range map[string]func(r *record, i int){
		"nothing":  func(*record, int) {},
		"resumed":  func(r *record, _ int) { r.joins = []joining{{number: 7}} },
		"predicts": func(r *record, _ int) { r.predicted = predicted{7} },
		"replaces": func(r *record, i int) {
			r.leavers = []leaver{{repl.Member(i % repl.MaxMembers), repl.Despawned}}
			r.joins = []joining{{number: repl.Member(i % repl.MaxMembers), from: 1}}
			r.refs = refTo(repl.ID{Group: 9, Generation: repl.Generation(i)})
		},
	} {
		b.Run(name, func(b *testing.B) {
			r := newLarge(b)
			messages := make([][]byte, b.N)
			for i := range messages {
				tick := entangle.Tick(11 + i)
				rec := record{kind: repl.Change, group: groupA, tick: tick, base: tick - 1}
				change(&rec, i)
				messages[i] = message(rec)
			}
			b.ResetTimer()
			for _, m := range messages {
				if err := r.HandleActions(m); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
