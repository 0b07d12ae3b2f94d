package replay_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle/internal/core/replay"
)

// plainWindow is a simple version of Window that keeps all numbers.
type plainWindow struct {
	newest uint64
	seen   map[uint64]bool
}

func (p *plainWindow) take(sequence uint64) bool {
	if p.seen[sequence] || p.newest >= replay.Size && sequence <= p.newest-replay.Size {
		return false
	}
	p.seen[sequence] = true
	p.newest = max(p.newest, sequence)
	return true
}

func TestTheWindowEqualsItsPlainTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var window replay.Window
		twin := plainWindow{seen: map[uint64]bool{}}
		at := rapid.OneOf(rapid.Uint64Range(0, 600), rapid.Uint64Min(math.MaxUint64-600), rapid.Uint64()).Draw(t, "at")
		for range rapid.IntRange(1, 300).Draw(t, "steps") {
			sequence := at + uint64(rapid.IntRange(-400, 400).Draw(t, "distance"))
			fresh := window.Fresh(sequence)
			if fresh {
				window.Mark(sequence)
			}
			if want := twin.take(sequence); fresh != want {
				t.Fatalf("sequence %d: %v, want %v", sequence, fresh, want)
			}
			at = rapid.SampledFrom([]uint64{at, sequence}).Draw(t, "next")
		}
	})
}
