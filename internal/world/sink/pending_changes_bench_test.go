package sink

import (
	"testing"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// BenchmarkPendingChanges is a frame of 10,000 interpolated entities with a value each that is not blended and
// changes in each tick, of which those of some ticks wait.
func BenchmarkPendingChanges(b *testing.B) {
	const n = 10_000
	for name, delay := range map[string]int32{"delay 1": 1, "delay 6": 6, "delay 60": 60} {
		b.Run(name, func(b *testing.B) {
			h := newPast(b)
			h.delay = func(int) int32 { return delay }
			var slots []repl.Slot
			var values bits.Writer
			h.record(func() {
				for g := repl.Handle(1); g <= n; g++ {
					slots = append(slots, h.spawn(g))
					h.state(g, pastMark{SendEvery: 1}, pastScore{})
					h.encode(&values, pastScore{uint8(g)})
				}
			})
			score, bytes := set.MaskOf(h.comp(pastScore{})), values.Finish()
			var r bits.Reader
			before := make([]entangle.Tick, len(slots))
			frame := func() {
				for i := range before {
					before[i] = h.tick
				}
				h.tick++
				r.Reset(bytes)
				if _, err := h.applier.UpdateBlock(slots, before, h.tick, &score, &r, h); err != nil {
					panic(err)
				}
				h.applier.Interpolate()
			}
			for range 2 * delay {
				frame()
			}
			for b.Loop() {
				frame()
			}
		})
	}
}
