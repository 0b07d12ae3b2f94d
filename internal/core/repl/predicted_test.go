package repl_test

import (
	"slices"
	"testing"

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
		var is repl.Predicted
		if rapid.Bool().Draw(t, "said") {
			numbers := rapid.SliceOfNDistinct(rapid.Uint16Range(0, repl.MaxMembers-1), 1, -1, rapid.ID[uint16]).Draw(t, "members")
			slices.Sort(numbers)
			for _, n := range numbers {
				on := kind == repl.Full || rapid.Bool().Draw(t, "on")
				is = append(is, repl.PredictedMember{Number: repl.Member(n), On: on})
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
		require.True(t, slices.Equal(is, got))
		for i, m := range is {
			require.Equal(t, m.On, got.Has(m.Number))
			if i+1 == len(is) {
				require.False(t, got.Has(m.Number+1))
			}
		}

		r.Reset(rapid.SliceOfN(rapid.Byte(), 0, 30).Draw(t, "noise"))
		if got.Read(&r, kind) {
			for i, m := range got {
				require.True(t, m.Number < repl.MaxMembers && (m.On || kind == repl.Change))
				require.True(t, i == 0 || got[i-1].Number < m.Number)
			}
		}
	})
}
