package receiver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// idleSink is a world of one entity for each name, which stores nothing.
type idleSink struct{ *copySink }

func (s idleSink) Begin(_, _ entangle.Tick) {}
func (s idleSink) Spawn(repl.ID) repl.Slot  { return 0 }
func (s idleSink) Member(repl.Slot, bool)   {}
func (s idleSink) Predict(repl.Slot, bool)  {}
func (s idleSink) Despawn(repl.Slot)        {}
func (s idleSink) Commit()                  {}
func (s idleSink) Discard()                 {}
func (s idleSink) Insert(r *bits.Reader, _ int, _ receiver.Refs) error {
	r.Bits(32)
	return r.Err()
}

// hoard makes as many actions of a group wait as are allowed. By each of them a member leaves, and
// none can be applied. Their ticks wrap around, so that a full that arrives then comes after them
// in sequence, but has an earlier tick.
func hoard(send func(record), h repl.Handle, n int) (seq repl.Seq, tick entangle.Tick) {
	send(one(repl.Full, h, 0, 10, 0))
	for k := range n {
		seq++
		send(record{
			kind: repl.Change, group: h, seq: seq % repl.SeqCycle, tick: 1<<30 + entangle.Tick(k), base: 1<<30 - 1,
			leavers: []leaver{{repl.Member(k), repl.Moved}},
		})
	}
	for _, tick := range []entangle.Tick{1<<31 - 100, 3 << 30} {
		seq++
		send(one(repl.Change, h, seq%repl.SeqCycle, tick, tick-1))
	}
	return seq, 1 << 28
}

// BenchmarkOvertaken receives messages of fulls that overtake as many waiting records as a hostile
// server can cause.
func BenchmarkOvertaken(b *testing.B) {
	for _, groups := range []repl.Handle{1, 80} {
		b.Run("", func(b *testing.B) {
			copied := receiver.New(idleSink{newCopySink(b)}, comps)
			seq, tick := repl.Seq(0), entangle.Tick(0)
			for h := range groups {
				seq, tick = hoard(func(r record) { require.NoError(b, copied.HandleActions(message(r))) }, h, 126)
			}
			fulls, m := make([]record, groups), []byte(nil)
			for b.Loop() {
				b.StopTimer()
				seq, tick = seq+1, tick+1
				for h := range groups {
					fulls[h] = one(repl.Full, h, seq%repl.SeqCycle, tick, 0)
				}
				m = message(fulls...)
				b.StartTimer()
				require.NoError(b, copied.HandleActions(m))
			}
			b.ReportMetric(float64(len(m)), "B/msg")
		})
	}
}

// BenchmarkHoard receives actions that cannot be applied.
func BenchmarkHoard(b *testing.B) {
	for _, n := range []int{126, 4000, 15_000} {
		b.Run("", func(b *testing.B) {
			for b.Loop() {
				copied := receiver.New(idleSink{newCopySink(b)}, comps)
				var err error
				var last record
				hoard(func(r record) {
					if last = r; err == nil {
						err = copied.HandleActions(message(r))
					}
				}, 0, n)
				if err == nil {
					err = copied.HandleActions(message(one(repl.Full, 0, last.seq+1, 1<<28, 0)))
				}
				b.Log(err)
			}
		})
	}
}
