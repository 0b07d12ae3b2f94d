package set

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestMaskEqualsMap compares the set operations with those of a map.
func TestMaskEqualsMap(t *testing.T) {
	draw := func(t *rapid.T, name string) (m Mask, plain map[int]bool) {
		plain = map[int]bool{}
		for _, c := range rapid.SliceOf(rapid.IntRange(0, MaskSize-1)).Draw(t, name) {
			m.Set(c)
			plain[c] = true
		}
		for _, c := range rapid.SliceOfN(rapid.IntRange(0, MaskSize-1), 0, 3).Draw(t, "cleared") {
			m.Clear(c)
			delete(plain, c)
		}
		return m, plain
	}
	check := func(t *rapid.T, m Mask, has func(int) bool) {
		var want []int
		for c := range MaskSize {
			require.Equal(t, has(c), m.Has(c))
			if has(c) {
				want = append(want, c)
			}
		}
		var got []int
		for c := m.Next(0); c >= 0; c = m.Next(c + 1) {
			got = append(got, c)
		}
		require.Equal(t, want, got)
		require.Equal(t, want, slices.Collect(m.All()))
		require.Equal(t, len(want), m.Len())
		require.Equal(t, len(want) == 0, m.IsZero())
	}
	rapid.Check(t, func(t *rapid.T) {
		a, inA := draw(t, "a")
		b, inB := draw(t, "b")
		check(t, a, func(c int) bool { return inA[c] })
		check(t, a.And(b), func(c int) bool { return inA[c] && inB[c] })
		check(t, a.Or(b), func(c int) bool { return inA[c] || inB[c] })
		check(t, a.Without(b), func(c int) bool { return inA[c] && !inB[c] })
		require.Equal(t, a.Or(b) == a, a.Holds(&b))
	})
}
