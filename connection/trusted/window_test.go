package trusted

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// The window equals a list of all sequences.
func TestTheWindowEqualsItsPlainTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w window
		var newest uint64
		seen := map[uint64]bool{}
		at := rapid.OneOf(rapid.Uint64Range(1, 300), rapid.Uint64Min(math.MaxUint64-300), rapid.Uint64()).Draw(t, "at")
		for range rapid.IntRange(1, 300).Draw(t, "steps") {
			sequence := at + uint64(rapid.IntRange(-100, 100).Draw(t, "distance"))
			want := !seen[sequence] && (sequence > newest || newest-sequence < 64)
			seen[sequence], newest = true, max(newest, sequence)
			if got := w.mark(sequence); got != want {
				t.Fatalf("sequence %d: %v, want %v", sequence, got, want)
			}
			at = rapid.SampledFrom([]uint64{at, sequence}).Draw(t, "next")
		}
	})
}
