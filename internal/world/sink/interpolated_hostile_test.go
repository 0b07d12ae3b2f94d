package sink

import (
	"math/rand/v2"
	"testing"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A server may state any intervals and ticks, and begin and end the interpolation of thousands of entities in each
// record. What waits is bounded, and shown within a bounded time.
//
// Proves: Z17
func TestHostileInterpolation(t *testing.T) {
	const n = 10_000
	for name, predict := range map[string]bool{"replicated": false, "predicted": true} {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 1))
			h := newPast(t)
			if predict {
				h.predict()
			}
			h.delay = func(every int) int32 { return int32(2 * every) }
			now := h.tick
			tick := func() {
				h.applier.stage.before = now + []entangle.Tick{0, 1, 1 << 31, -entangle.Tick(rng.IntN(10000)), entangle.Tick(rng.Uint32())}[rng.IntN(5)]
				switch rng.IntN(4) {
				case 0:
					h.applier.stage.tick = now + entangle.Tick(rng.Uint32())
				case 1:
					h.applier.stage.tick = now + 1<<31
				case 2:
					h.applier.stage.tick = now - entangle.Tick(rng.IntN(10000))
				}
			}
			interval := func() pastMark {
				return pastMark{SendEvery: []uint32{0, 1, 65535, 1 << 31, rng.Uint32N(70000)}[rng.IntN(5)]}
			}
			h.record(func() {
				for g := repl.Handle(1); g <= n; g++ {
					h.spawn(g)
					h.state(g, interval(), pastPlace{1}, pastScore{1})
				}
			})
			most := 0
			for frame := range 8 {
				h.tick = now + entangle.Tick(frame)
				h.record(func() {
					tick()
					for g := repl.Handle(1); g <= n; g++ {
						switch m := h.applier; rng.IntN(4) {
						case 0:
							h.remove(g, pastMark{}, pastScore{})
							h.insert(interval(), pastScore{2})
						case 1:
							h.remove(g, pastMark{})
						case 2:
							h.change(g, interval(), pastPlace{float32(frame)})
						default:
							m.Predict(h.slots[repl.ID{Group: g}], rng.IntN(2) == 0)
						}
					}
				})
				most = max(most, h.applier.interpolation.pending.bytes())
				h.tick = now + entangle.Tick(frame)
				h.applier.Interpolate()
				require.LessOrEqual(t, h.applier.interpolation.samples.Stats().Slots, n)
			}
			assert.Less(t, most, 2*maxPendingBytes)
			h.tick += maxPendingTicks + 20
			h.applier.Interpolate()
			h.rest()
			h.applier.Clear()
			h.rest()
			assert.Zero(t, h.applier.interpolation.samples.Stats().Slots)
		})
	}
}
