package receiver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
)

// BenchmarkRoomForStructure is the worst that a hostile server can do to the search for a record to drop:
// as many groups as possible wait, one update among them, and each message brings more structure than
// there is room for. In one operation it makes room once.
func BenchmarkRoomForStructure(b *testing.B) {
	r := receiver.New(&nothing{}, comps)
	waits := func(h repl.Handle, seq repl.Seq, tick entangle.Tick, key repl.Handle) []byte {
		return message(record{kind: repl.Full, group: h, seq: seq, tick: tick, needs: []repl.Need{need(key, 10)}, alone: true, only: number(1)})
	}
	update := record{kind: repl.Update, group: 1, tick: 10, base: 9}
	for n := range repl.Member(20) {
		update.changed = append(update.changed, change{n, number(1)})
	}
	const first, keys = repl.Handle(1), repl.Private
	h := first
	for ; r.WaitingBytes() < receiver.DefaultWaitingBytes-300; h++ {
		require.NoError(b, r.HandleActions(waits(h, 0, 10, keys+h)))
	}
	b.Logf("%d groups wait", h-first)
	for tick := entangle.Tick(20); b.Loop(); tick += 2 {
		update.tick, update.base = tick, tick-1
		require.NoError(b, r.HandleUpdates(tick, run(update)))
		before := r.Stats().Overflow
		for n := 0; r.Stats().Overflow == before; n++ {
			require.Less(b, n, 10)
			require.NoError(b, r.HandleActions(waits(h, 0, tick, keys+h)))
			h++
		}
		b.StopTimer() // what was added is overtaken, and ends
		for r.WaitingBytes() > receiver.DefaultWaitingBytes-300 {
			h--
			require.NoError(b, r.HandleActions(message(one(repl.Full, h, 1, tick+1, 0))))
			require.NoError(b, r.HandleActions(message(record{kind: repl.Gone, group: h, seq: 2, tick: tick + 1})))
		}
		b.StartTimer()
	}
}
