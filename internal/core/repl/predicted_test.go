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

// What an action states about predicted members is read as it was written, and takes the computed number of
// bits. From arbitrary bytes, a kind of action reads only what it may state.
func TestPredictedSetsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]repl.Kind{repl.Full, repl.Change}).Draw(t, "kind")
		is := repl.Predicted{Stated: rapid.Bool().Draw(t, "said")}
		if is.Stated && kind == repl.Full {
			is.All = rapid.Bool().Draw(t, "all")
		}
		if is.Stated && !is.All {
			numbers := rapid.SliceOfNDistinct(rapid.Uint16Range(0, repl.MaxMembers-1), 1, -1, rapid.ID[uint16]).Draw(t, "members")
			slices.Sort(numbers)
			for _, n := range numbers {
				on := kind == repl.Full || rapid.Bool().Draw(t, "on")
				is.Members = append(is.Members, repl.PredictedMember{Number: repl.Member(n), On: on})
			}
		}
		var w bits.Writer
		is.Append(&w)
		require.GreaterOrEqual(t, is.Bits(), w.LenBits())
		var r bits.Reader
		r.Reset(w.Finish())
		var got repl.Predicted
		require.True(t, got.Read(&r, kind))
		require.Less(t, r.RemainingBits(), 8)
		require.Equal(t, []any{is.Stated, is.All}, []any{got.Stated, got.All})
		require.True(t, slices.Equal(is.Members, got.Members))
		for i, m := range is.Members {
			require.Equal(t, m.On, got.Has(m.Number))
			if i+1 == len(is.Members) {
				require.False(t, got.Has(m.Number+1))
			}
		}

		r.Reset(rapid.SliceOfN(rapid.Byte(), 0, 30).Draw(t, "noise"))
		if got.Read(&r, kind) {
			require.Equal(t, got.Stated, got.All || len(got.Members) > 0)
			require.False(t, got.All && kind == repl.Change)
			for i, m := range got.Members {
				require.True(t, m.Number < repl.MaxMembers && (m.On || kind == repl.Change))
				require.True(t, i == 0 || got.Members[i-1].Number < m.Number)
			}
		}
	})
	assert.True(t, (&repl.Predicted{Stated: true, All: true}).Has(7))
}
