package repl_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// Predicted sets are read as they were written, and take the computed number of bits. A set that is
// read from arbitrary bytes has rising numbers of members.
func TestPredictedSetsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		is := repl.Predicted{Stated: rapid.Bool().Draw(t, "said")}
		if is.Stated {
			is.All = rapid.Bool().Draw(t, "all")
		}
		if is.Stated && !is.All {
			is.Members = sorted(rapid.SliceOfDistinct(rapid.Uint16Range(0, repl.MaxMembers-1), rapid.ID[uint16]).Draw(t, "members"))
		}
		var w bits.Writer
		is.Append(&w)
		require.Equal(t, is.Bits(), w.LenBits())
		var r bits.Reader
		r.Reset(w.Finish())
		var got repl.Predicted
		require.True(t, got.Read(&r))
		require.Less(t, r.RemainingBits(), 8)
		require.Equal(t, []any{is.Stated, is.All}, []any{got.Stated, got.All})
		require.True(t, slices.Equal(is.Members, got.Members))
		for _, n := range is.Members {
			require.True(t, got.Has(n))
			require.Equal(t, slices.Contains(is.Members, n+1), got.Has(n+1))
		}

		r.Reset(rapid.SliceOfN(rapid.Byte(), 0, 30).Draw(t, "noise"))
		if got.Read(&r) {
			require.True(t, slices.IsSorted(got.Members))
			require.True(t, len(got.Members) == 0 || got.Members[len(got.Members)-1] < repl.MaxMembers)
		}
	})
	assert.True(t, (&repl.Predicted{Stated: true, All: true}).Has(7))
}

func sorted(numbers []uint16) (all []repl.Member) {
	slices.Sort(numbers)
	for _, n := range numbers {
		all = append(all, repl.Member(n))
	}
	return all
}
