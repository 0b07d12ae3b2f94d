package delta_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/delta"
)

// A history equals a simple model, which is a list of everything that was recorded.
func TestAHistoryReachesBackAsFarAsAnyBase(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type noted struct {
			since entangle.Tick
			value byte
		}
		h, twin := delta.NewHistory(1), []noted(nil)
		now := rapid.SampledFrom([]entangle.Tick{5, 1 << 31, ^entangle.Tick(0) - 9}).Draw(t, "start")
		for range rapid.IntRange(1, 200).Draw(t, "changes") {
			now += entangle.Tick(rapid.IntRange(0, 3).Draw(t, "later"))
			n := noted{now, rapid.Byte().Draw(t, "value")}
			switch rapid.IntRange(0, 30).Draw(t, "what") {
			case 0:
				h.Restart(3, n.since, []byte{n.value})
				twin = append(twin[:0], n)
			case 1:
				h.Drop(3)
				twin = twin[:0]
			default:
				h.Set(3, n.since, []byte{n.value})
				twin = append(twin, n)
			}
			base := now - entangle.Tick(rapid.IntRange(0, repl.HistoryTicks-1).Draw(t, "age"))
			want, found := byte(0), false
			for _, n := range twin {
				if !base.Before(n.since) {
					want, found = n.value, true
				}
			}
			got, since, until, ok := h.At(3, base)
			if ok != found || ok && (got[0] != want || base.Before(since) || !base.Before(until)) {
				t.Fatalf("at %d of %v: %v %v from %d to %d, want %d %v", base, twin, got, ok, since, until, want, found)
			}
		}
	})
}

func TestAHistoryOfWhatWasNeverNotedIsEmpty(t *testing.T) {
	h := delta.NewHistory(4)
	h.Drop(7)
	_, _, _, ok := h.At(7, 1)
	assert.False(t, ok)
	h.Set(9, 1, []byte{1, 2, 3, 4})
	_, _, _, ok = h.At(7, 1)
	assert.False(t, ok)
}

func TestASteadyHistoryAllocatesNothing(t *testing.T) {
	h, value, tick := delta.NewHistory(4), []byte{1, 2, 3, 4}, entangle.Tick(0)
	use := func() {
		tick++
		h.Set(2, tick, value)
	}
	for range 2 * repl.HistoryTicks {
		use()
	}
	assert.Zero(t, alloctest.Count(100, use))
}
