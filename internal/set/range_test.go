package set_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/set"
)

// A range is added and removed as number by number, wherever it begins and ends within words.
func TestRangesOfABitset(t *testing.T) {
	const size = 200
	for from := range size {
		for to := from; to <= size; to += 1 + to/70 {
			var added, cleared, want, rest set.Bitset
			for _, b := range []*set.Bitset{&added, &cleared, &want, &rest} {
				b.Grow(size)
			}
			for i := range size {
				cleared.Set(i)
				rest.Set(i)
			}
			for i := from; i < to; i++ {
				want.Set(i)
				rest.Clear(i)
			}
			added.SetRange(from, to)
			cleared.ClearRange(from, to)
			require.Equal(t, want, added, "%d to %d", from, to)
			require.Equal(t, rest, cleared, "%d to %d", from, to)
		}
	}
}
