package set

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestBitsetEqualsMap compares a bitset, and its iterators, with a map.
func TestBitsetEqualsMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := 64 * rapid.IntRange(1, 4).Draw(t, "words")
		var b, o Bitset
		b.Grow(size)
		o.Grow(size)
		plain := map[int]bool{}
		for range rapid.IntRange(0, 20).Draw(t, "runs") {
			from := rapid.IntRange(0, size-1).Draw(t, "from")
			to := rapid.IntRange(from, size).Draw(t, "to")
			in := rapid.Bool().Draw(t, "in")
			for i := from; i < to; i++ {
				b.Assign(i, in)
				plain[i] = in
			}
		}
		empty := true
		for i := range size {
			require.Equal(t, plain[i], b.Has(i))
			empty = empty && !plain[i]
			next := i
			for next < size && !plain[next] {
				next++
			}
			start, end := next, next
			for end < size && plain[end] {
				end++
			}
			if next == size {
				next, start, end = -1, i, i
			}
			require.Equal(t, next, b.Next(i))
			gotStart, gotEnd := b.NextRun(i)
			require.Equal(t, []int{start, end}, []int{gotStart, gotEnd})
			for to := i; to < i+70; to++ {
				require.Equal(t, to == i || start == i && to <= end, b.HasRange(i, to), "%d to %d", i, to)
			}
			if i%3 == 0 {
				o.Set(i)
			}
		}
		require.Equal(t, empty, b.Empty())
		require.False(t, b.Has(size))
		require.Equal(t, -1, b.Next(size))
		joined := append(Bitset(nil), b...)
		joined.Join(o)
		b.Drop(o)
		for i := range size {
			require.Equal(t, plain[i] || i%3 == 0, joined.Has(i))
			require.Equal(t, plain[i] && i%3 != 0, b.Has(i))
		}
	})
}
