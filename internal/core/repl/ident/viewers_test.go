package ident

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Lists that share their memory have the same elements as plain lists, and each takes at most four
// times the memory that it needs.
func TestListsOfViewersEqualPlainOnes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var lists ViewerLists
		ours, plain := make([][]Viewer, 6), make([][]Viewer, 6)
		for n := range rapid.IntRange(0, 40).Draw(t, "steps") {
			i := rapid.IntRange(0, len(ours)-1).Draw(t, "list")
			most := rapid.SampledFrom([]int{0, 2, 40, 3000}).Draw(t, "most")
			for k := range rapid.IntRange(0, most).Draw(t, "added") {
				v := NewViewer(uint16(k), n)
				ours[i], plain[i] = lists.Append(ours[i], v), append(plain[i], v)
			}
			for range rapid.IntRange(0, len(plain[i])).Draw(t, "removed") {
				last := len(ours[i]) - 1
				ours[i], plain[i] = lists.Shrink(ours[i][:last]), plain[i][:last]
			}
			for i := range ours {
				require.True(t, slices.Equal(plain[i], ours[i]), "list %d", i)
				require.LessOrEqual(t, cap(ours[i]), max(4*len(plain[i]), minCapacity))
			}
		}
	})
}
